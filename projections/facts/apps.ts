import type { AppRegistered } from "../../domain/apps/events.ts";
import { type LocalTime, localTime } from "../../domain/local-time.ts";
import type { RecordedEvent } from "../../domain/recorded-event.ts";
import type { TableWriter } from "./table-writer.ts";
import { type Columns, unnest } from "./unnest.ts";

/** Time zones by app id. */
export type Timezones = ReadonlyMap<number, string>;

interface AppRow {
  readonly app_id: number;
  readonly timezone: string;
}

const columns: Columns<AppRow> = {
  app_id: { type: "integer", of: ({ app_id }) => app_id },
  timezone: { type: "text", of: ({ timezone }) => timezone },
};

/** Stores what the facts need of new apps. */
export async function storeApps(
  { schema, run }: TableWriter,
  events: readonly RecordedEvent<AppRegistered>[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data }) => ({ app_id: data.appId, timezone: data.timezone }));
  const { text, names, values } = unnest(rows, columns, "app");
  await run(`insert into ${schema}.apps (${names}) select ${names} from ${text} on conflict do nothing`, values);
}

/**
 * Time zones of apps. One that is not registered has none, its facts no local date, and the database refuses them:
 * they are set aside.
 */
export async function timezonesOf({ schema, run }: TableWriter, appIds: ReadonlySet<number>): Promise<Timezones> {
  if (appIds.size === 0) return new Map();
  const rows = await run<AppRow>(`select app_id, timezone from ${schema}.apps where app_id = any(?::integer[])`, [
    `{${[...appIds].join(",")}}`,
  ]);
  return new Map(rows.map(({ app_id, timezone }) => [app_id, timezone]));
}

/** Local date and hour of an instant (ISO 8601) for an app; null when the app is not known. */
export function localTimeOf(timezones: Timezones, appId: number, at: string): LocalTime | null {
  const timezone = timezones.get(appId);
  return timezone === undefined ? null : localTime(timezone, Date.parse(at));
}
