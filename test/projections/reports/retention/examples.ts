import { DateTime } from "luxon";
import type { RetentionQuery } from "../../../../domain/reporting/retention/query.ts";
import { openDatabase } from "../../../../infra/postgres/database.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import { type RetentionResult, runRetention } from "../../../../projections/reports/retention/run.ts";
import { testPostgres } from "../../../support/stores.ts";
import { install } from "../actuals/advertising.ts";
import { type AppEvent, type Facts, factsSchemas, uuidOf } from "../facts.ts";

export const timezone = "Asia/Seoul";

/** What a device did at an instant; the date and hour are those of a zone. Its place in the log is `from`. */
export function happened(at: string, more: Partial<AppEvent> = {}, zone = timezone): AppEvent {
  const local = DateTime.fromISO(at, { zone });
  return { ...install, from: 1, at, date: local.toISODate() ?? "", hour: local.hour, ...more };
}

export const opened = (at: string, device: number, more: Partial<AppEvent> = {}): AppEvent =>
  happened(at, { category: "app_deeplink_open", device, ...more });
export const ordered = (at: string, device: number, more: Partial<AppEvent> = {}): AppEvent =>
  happened(at, { category: "app_order_complete", device, isFirstOfDevice: false, ...more });

/** Daily returns to the installs of March 1 to 4, asked at noon of March 4 at position 9. */
export function askRetention(
  query: Partial<RetentionQuery> = {},
  more: Partial<Omit<ReportAt<"retention">, "query">> = {},
): ReportAt<"retention"> {
  return {
    appId: 1,
    currency: "KRW",
    timezone,
    onlyChannels: null,
    position: 9n,
    now: new Date("2026-03-04T12:00:00+09:00"),
    ...more,
    query: {
      from: "2026-03-01",
      to: "2026-03-04",
      granularity: "day",
      startEvents: ["app_installs"],
      returnEvents: ["app_order_complete"],
      measurementOption: "general_retention",
      groupBys: [],
      filters: [],
      sorts: [],
      ...query,
    },
  };
}

/** Answers retention reports over facts, each set of them in a schema of its own. */
export async function openRetentionFacts() {
  const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
  const schemas = factsSchemas(db);
  const write = async (appEvents: readonly AppEvent[], more: Partial<Facts> = {}): Promise<string> => {
    const schema = await schemas.write({ touchpoints: [], ...more, appEvents });
    const targets = appEvents.map(({ appId, from, at = null, category, device }, index) => {
      return { app_id: appId, event_id: uuidOf(index), position: from, at, category, device_key: uuidOf(device) };
    });
    await db.batchInsert(
      `${schema}.targets`,
      targets.filter(({ at }) => at !== null),
      500,
    );
    return schema;
  };
  const run = (schema: string, report: ReportAt<"retention">): Promise<RetentionResult | null> =>
    runRetention({ db, schema }, report, { timeoutMs: 30_000 });
  const answer = async (
    appEvents: readonly AppEvent[],
    report: ReportAt<"retention">,
    more: Partial<Facts> = {},
  ): Promise<RetentionResult> => {
    const schema = await write(appEvents, more);
    const result = await run(schema, report);
    schemas.release(schema);
    if (result === null) throw new Error("The report is too large");
    return result;
  };
  return {
    db,
    write,
    run,
    answer,
    release: schemas.release,
    close: () => db.destroy(),
  };
}
