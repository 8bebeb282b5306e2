import type { AppRegistered } from "../../../domain/apps/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { type LocalTime, localTime } from "../../../domain/values/local-time.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, insertRows } from "../sql/unnest.ts";

/** The settings of an app that facts are computed with. */
export interface KnownApp {
  /** IANA name. */
  readonly timezone: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Key of the hashes of device ids and identifiers, hex digits. */
  readonly salt: string;
}

/** Apps by id. */
export type KnownApps = ReadonlyMap<number, KnownApp>;

interface AppRow extends KnownApp {
  readonly app_id: number;
}

const columns: Columns<AppRow> = {
  app_id: { type: "integer", of: ({ app_id }) => app_id },
  timezone: { type: "text", of: ({ timezone }) => timezone },
  currency: { type: "text", of: ({ currency }) => currency },
  salt: { type: "text", of: ({ salt }) => salt },
};

export async function storeApps(
  pipeline: StatementPipeline,
  events: readonly RecordedEvent<AppRegistered>[],
): Promise<void> {
  const rows = events.map(({ data: { appId, timezone, currency, salt } }) => {
    return { app_id: appId, timezone, currency, salt };
  });
  await insertRows(pipeline, "apps", rows, columns, "on conflict do nothing");
}

/** The registered apps among `appIds`. Facts of other apps have no local date, which the tables refuse: they are parked. */
export async function appsOf({ schema, run }: StatementPipeline, appIds: ReadonlySet<number>): Promise<KnownApps> {
  if (appIds.size === 0) return new Map();
  const rows = await run<AppRow>(
    `select app_id, timezone, currency, salt
     from ${schema}.apps
     where app_id = any(?::integer[])`,
    [`{${[...appIds].join(",")}}`],
  );
  return new Map(rows.map(({ app_id, ...app }) => [app_id, app]));
}

/** The app's salt; empty when the app is not known, whose facts are not stored. */
export function saltOf(apps: KnownApps, appId: number): string {
  return apps.get(appId)?.salt ?? "";
}

/** Local date and hour of an instant (ISO 8601) in the app's time zone; null when the app is not known. */
export function localTimeOf(apps: KnownApps, appId: number, at: string): LocalTime | null {
  const app = apps.get(appId);
  return app === undefined ? null : localTime(app.timezone, Date.parse(at));
}
