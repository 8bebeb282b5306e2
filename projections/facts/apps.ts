import type { Knex } from "knex";
import type { AppRegistered } from "../../domain/apps/events.ts";
import type { RecordedEvent } from "../../domain/recorded-event.ts";
import type { SchemaName } from "../projection.ts";
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
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedEvent<AppRegistered>[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data }) => ({ app_id: data.appId, timezone: data.timezone }));
  const { text, names, values } = unnest(rows, columns, "app");
  await trx.raw(`insert into ${schema}.apps (${names}) select ${names} from ${text} on conflict do nothing`, [
    ...values,
  ]);
}

/**
 * Time zones of apps. One that is not registered has none, its facts no local date, and the database refuses them:
 * they are set aside.
 */
export async function timezonesOf(
  trx: Knex.Transaction,
  schema: SchemaName,
  appIds: ReadonlySet<number>,
): Promise<Timezones> {
  const { rows }: { rows: readonly AppRow[] } = await trx.raw(
    `select app_id, timezone from ${schema}.apps where app_id = any(?::integer[])`,
    [`{${[...appIds].join(",")}}`],
  );
  return new Map(rows.map(({ app_id, timezone }) => [app_id, timezone]));
}
