import { DateTime } from "luxon";
import type { ActiveUsersQuery } from "../../../../domain/reporting/active-users/query.ts";
import { openDatabase } from "../../../../infra/postgres/database.ts";
import { type ActiveUsersResult, runActiveUsers } from "../../../../projections/reports/active-users/run.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import { testPostgres } from "../../../support/stores.ts";
import { type Advertised, install } from "../actuals/advertising.ts";
import { type AppEvent, factsSchemas } from "../facts.ts";
import { noUploads } from "../uploads.ts";

export type ActiveUsersAt = ReportAt<"active_users">;

export const zone = "Asia/Seoul";

/** What a device did at a local time, or an instant; the date and hour are those of a zone. */
export function did(category: string, at: string, device: number, more: Partial<AppEvent> = {}, timezone = zone) {
  const instant = DateTime.fromISO(at, { zone: timezone });
  const when = { at: instant.toUTC().toISO() ?? "", date: instant.toISODate() ?? "", hour: instant.hour };
  return { ...install, from: 1, category, device, ...when, ...more };
}

/** All metrics of two days of March, asked in April, in won, at position 9. */
export function askActiveUsers(
  query: Partial<ActiveUsersQuery> = {},
  more: Partial<Omit<ActiveUsersAt, "query">> = {},
): ActiveUsersAt {
  return {
    appId: 1,
    currency: "KRW",
    timezone: zone,
    onlyChannels: null,
    position: 9n,
    now: new Date("2026-04-10T00:00:00Z"),
    ...more,
    query: {
      from: "2026-03-02",
      to: "2026-03-03",
      granularity: "day",
      metrics: ["app_au", "app_pu", "app_revenue", "app_arpu", "app_arppu"],
      groupBys: [],
      filters: [],
      ...query,
    },
  };
}

/** Answers active users reports over facts, each set of them in a schema of its own. */
export async function openActiveUsersFacts() {
  const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
  const schemas = factsSchemas(db);
  const write = ({ touchpoints = [], appEvents = [], uploads = {}, channelFlags = [] }: Advertised) =>
    schemas.write({ touchpoints, appEvents, uploads: { ...noUploads, ...uploads }, channelFlags });
  const run = (schema: string, report: ActiveUsersAt): Promise<ActiveUsersResult> =>
    runActiveUsers({ db, schema }, report, { timeoutMs: 60_000 });
  return {
    db,
    write,
    run,
    answer: async (advertised: Advertised, ...reports: readonly ActiveUsersAt[]) => {
      const schema = await write(advertised);
      const results: ActiveUsersResult[] = [];
      for (const report of reports) results.push(await run(schema, report));
      schemas.release(schema);
      return results;
    },
    release: schemas.release,
    close: () => db.destroy(),
  };
}

/** Groups as `[group-bys, [number of the interval, values]...]`. */
export function told({ rows }: ActiveUsersResult) {
  return rows.map(({ groupBys, intervals, values }) => [
    groupBys,
    ...intervals.map((number, index) => [number, values[index]]),
  ]);
}

export function codes({ notifications }: ActiveUsersResult): readonly string[] {
  return notifications.map(({ code }) => code);
}
