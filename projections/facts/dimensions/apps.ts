import type { AppRegistered } from "../../../domain/apps/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { type LocalTime, localTime } from "../../../domain/values/local-time.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";

/** What the facts need of an app. */
export interface KnownApp {
  /** IANA name. */
  readonly timezone: string;
  /** Key of the hashes of its devices' ids, hex digits. */
  readonly salt: string;
}

/** Apps by their ids. */
export type KnownApps = ReadonlyMap<number, KnownApp>;

interface AppRow extends KnownApp {
  readonly app_id: number;
}

const columns: Columns<AppRow> = {
  app_id: { type: "integer", of: ({ app_id }) => app_id },
  timezone: { type: "text", of: ({ timezone }) => timezone },
  salt: { type: "text", of: ({ salt }) => salt },
};

/** Stores what the facts need of new apps. */
export async function storeApps(
  { schema, run }: StatementPipeline,
  events: readonly RecordedEvent<AppRegistered>[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data }) => ({ app_id: data.appId, timezone: data.timezone, salt: data.salt }));
  const { text, names, values } = unnest(rows, columns, "app");
  await run(`insert into ${schema}.apps (${names}) select ${names} from ${text} on conflict do nothing`, values);
}

/**
 * The apps of some ids. One that is not registered is not among them, its facts have no local date, and the database
 * refuses them: they are set aside.
 */
export async function appsOf({ schema, run }: StatementPipeline, appIds: ReadonlySet<number>): Promise<KnownApps> {
  if (appIds.size === 0) return new Map();
  const rows = await run<AppRow>(`select app_id, timezone, salt from ${schema}.apps where app_id = any(?::integer[])`, [
    `{${[...appIds].join(",")}}`,
  ]);
  return new Map(rows.map(({ app_id, ...app }) => [app_id, app]));
}

/** Local date and hour of an instant (ISO 8601) for an app; null when the app is not known. */
export function localTimeOf(apps: KnownApps, appId: number, at: string): LocalTime | null {
  const app = apps.get(appId);
  return app === undefined ? null : localTime(app.timezone, Date.parse(at));
}
