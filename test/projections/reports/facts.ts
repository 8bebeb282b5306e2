import type { Knex } from "knex";
import { createFactsTables } from "../../../projections/facts/tables.ts";
import { inForce } from "../../../projections/in-force.ts";
import { insertRows } from "./insert-rows.ts";
import { noUploads, type Uploads, writeUploads } from "./uploads.ts";

/** The advertising behind a fact; the database keeps each distinct one once. */
export interface Source {
  readonly channel: string;
  readonly channel_type: string;
  readonly tracking_link_id: number | null;
  readonly is_reengagement: string;
  readonly campaign: string | null;
  readonly sub_id_1: string | null;
  readonly sub_publisher: string | null;
}

export interface Client {
  readonly os_name: string | null;
  readonly country: string | null;
  readonly device_model: string | null;
}

interface Fact {
  readonly appId: number;
  /** The first log position that it counts at. */
  readonly from: number;
  readonly date: string;
  readonly hour: number;
  /** ISO instant, where that matters; else the midnight of `date`, UTC. */
  readonly at?: string;
  readonly client: Client;
}

export interface Touchpoint extends Fact {
  readonly kind: "click" | "impression";
  readonly human: boolean;
  readonly source: Source;
}

export interface AppEvent extends Fact {
  /** The first log position that it does not count at any more; null: none. */
  readonly to: number | null;
  readonly sentFrom: "app" | "web";
  readonly category: string;
  readonly device: number;
  /** Hundredths; null: without a value. */
  readonly cents: number | null;
  readonly currency: string;
  /** Whose touchpoint it is attributed to, and which one of them (from 0), where that matters; null: unattributed. */
  readonly label: {
    readonly source: Source;
    readonly kind: "click" | "impression";
    readonly touchpoint?: number;
  } | null;
  readonly isFirstOfDevice: boolean;
  readonly isFirstOfUser: boolean | null;
}

/** The flag of a channel, at the positions from one to before another (null: none). */
export interface ChannelFlag {
  readonly channel: string;
  readonly selfAttributing: boolean;
  readonly from: number;
  readonly to: number | null;
}

export interface Facts {
  readonly touchpoints: readonly Touchpoint[];
  readonly appEvents: readonly AppEvent[];
  readonly uploads?: Uploads;
  readonly channelFlags?: readonly ChannelFlag[];
}

/** Tables of which tests write only the columns that reports read. */
const factTables = ["touchpoints", "app_events", "spend", "uploaded_metrics"];

/** Creates the tables of the facts in a schema of their own and fills them. */
export async function writeFacts(db: Knex, schema: string, facts: Facts): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw(`create schema ${schema}`);
    await createFactsTables(trx, schema);
    await trx.raw(`
      do $$
      declare column_ record;
      begin
        for column_ in
          select attrelid::regclass as of_table, attname from pg_attribute
          where attrelid in (${factTables.map((table) => `'${schema}.${table}'::regclass`).join(", ")})
            and attnum > 0 and attnotnull
            and not exists (select from pg_index where indrelid = attrelid and indisprimary and attnum = any(indkey))
        loop
          execute format('alter table %s alter column %I drop not null', column_.of_table, column_.attname);
        end loop;
      end $$`);
    await fillTables(trx, schema, facts);
  });
}

/** Fills tables that were made before with other facts than they hold. */
export async function rewriteFacts(db: Knex, schema: string, facts: Facts): Promise<void> {
  await db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: { tablename: string }[] }>(
      "select tablename from pg_tables where schemaname = ?",
      [schema],
    );
    await trx.raw(rows.map(({ tablename }) => `delete from ${schema}.${tablename}`).join("; "));
    await fillTables(trx, schema, facts);
  });
}

async function fillTables(
  trx: Knex.Transaction,
  schema: string,
  { touchpoints, appEvents, uploads = noUploads, channelFlags = [] }: Facts,
): Promise<void> {
  const sources = new Map<string, number>();
  const clients = new Map<string, number>();
  const keyIn = (known: Map<string, number>, value: object | null): number | null => {
    if (value === null) return null;
    const text = JSON.stringify(value);
    const key = known.get(text) ?? known.size + 1;
    known.set(text, key);
    return key;
  };
  const touchpointRows = touchpoints.map((fact, index) => ({
    app_id: fact.appId,
    touchpoint_id: uuidOf(index),
    position: fact.from,
    kind: fact.kind,
    human: fact.human,
    at: fact.at ?? `${fact.date}T00:00:00Z`,
    local_date: fact.date,
    local_hour: fact.hour,
    source_key: keyIn(sources, fact.source),
    client_key: keyIn(clients, fact.client),
  }));
  const appEventRows = appEvents.map((fact, index) => ({
    app_id: fact.appId,
    event_id: uuidOf(index),
    from_position: fact.from,
    to_position: fact.to ?? inForce.toString(),
    at: fact.at ?? `${fact.date}T00:00:00Z`,
    local_date: fact.date,
    local_hour: fact.hour,
    source: fact.sentFrom,
    category: fact.category,
    device_key: uuidOf(fact.device),
    value: fact.cents === null ? null : (fact.cents / 100).toFixed(2),
    currency: fact.cents === null ? null : fact.currency,
    client_key: keyIn(clients, fact.client),
    source_key: keyIn(sources, fact.label?.source ?? null),
    touchpoint_kind: fact.label?.kind ?? null,
    touchpoint_id: fact.label?.touchpoint === undefined ? null : uuidOf(fact.label.touchpoint),
    matched_by: fact.label?.touchpoint === undefined ? null : "click_id",
    is_first_of_device: fact.isFirstOfDevice,
    is_first_of_user: fact.isFirstOfUser,
  }));
  const insert = (table: string, rows: readonly object[]) => insertRows(trx, `${schema}.${table}`, rows);
  for (const appId of appIdsOf(touchpoints, appEvents)) {
    await insert("apps", [{ app_id: appId, timezone: "Asia/Seoul", currency: "KRW", salt: "" }]);
    await insert(
      "sources",
      rowsOf(sources, (row, source_key) => ({ app_id: appId, source_key, ...row })),
    );
    await insert(
      "clients",
      rowsOf(clients, (row, client_key) => ({ app_id: appId, client_key, ...row })),
    );
  }
  await insert("touchpoints", touchpointRows);
  await insert("app_events", appEventRows);
  await insert(
    "targets",
    appEventRows
      .filter((_, index) => appEvents[index]?.at !== undefined)
      .map(({ app_id, event_id, from_position, at, category, device_key }) => {
        return { app_id, event_id, position: from_position, at, category, device_key };
      }),
  );
  await insert(
    "channel_flags",
    channelFlags.map(({ channel, selfAttributing, from, to }) => {
      return {
        channel,
        self_attributing: selfAttributing,
        from_position: from,
        to_position: to ?? inForce.toString(),
      };
    }),
  );
  await writeUploads(trx, schema, uploads);
}

function rowsOf(known: Map<string, number>, row: (value: object, key: number) => object): object[] {
  return [...known].map(([text, key]) => row(JSON.parse(text), key));
}

export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** Two at least: the sources of the second must not be taken for those of the first. */
function appIdsOf(...facts: readonly (readonly Fact[])[]): ReadonlySet<number> {
  return new Set([1, 2, ...facts.flat().map(({ appId }) => appId)]);
}
