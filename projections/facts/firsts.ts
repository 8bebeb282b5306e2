import type { Knex } from "knex";
import { type Moment, precedes } from "../../domain/attribution/event-order.ts";
import type { SchemaName } from "../projection.ts";
import type { AppEventFact } from "./app-events.ts";
import { type Columns, unnest } from "./unnest.ts";

/** The first event of its category by one subject: a device (`d:<device key>`) or a user (`u:<user key>`). */
interface First extends Moment {
  readonly appId: number;
  readonly subject: string;
  readonly category: string;
  readonly eventId: string;
}

/** An event that was the first until another came up which happened before it. */
export interface Preceded {
  readonly appId: number;
  readonly eventId: string;
  readonly of: "device" | "user";
  /** Position of the one that happened before. */
  readonly from: bigint;
}

export interface Firsts {
  /** Which new events are the first of their category at their own position (D6.6); user: null without a user. */
  readonly found: ReadonlyMap<AppEventFact, { readonly ofDevice: boolean; readonly ofUser: boolean | null }>;
  /** Stored and new events that cease to be the first. */
  readonly preceded: readonly Preceded[];
}

/** Finds out about new events, in the log's order, and stores the firsts that have changed. */
export async function takeFirsts(
  trx: Knex.Transaction,
  schema: SchemaName,
  facts: readonly AppEventFact[],
): Promise<Firsts> {
  if (facts.length === 0) return { found: new Map(), preceded: [] };
  const firsts = await storedFirsts(trx, schema, facts.flatMap(subjectsOf));
  const changed = new Map<string, First>();
  const preceded: Preceded[] = [];

  const isFirst = (of: "device" | "user", one: First): boolean => {
    const key = keyOf(one);
    const before = firsts.get(key);
    if (before !== undefined && !precedes(one, before)) return false;
    if (before !== undefined) preceded.push({ appId: one.appId, eventId: before.eventId, of, from: one.position });
    firsts.set(key, one);
    changed.set(key, one);
    return true;
  };

  const found = new Map<AppEventFact, { readonly ofDevice: boolean; readonly ofUser: boolean | null }>();
  for (const fact of facts) {
    const [device, user] = subjectsOf(fact);
    found.set(fact, {
      ofDevice: device !== undefined && isFirst("device", device),
      ofUser: user === undefined ? null : isFirst("user", user),
    });
  }
  await store(trx, schema, [...changed.values()]);
  return { found, preceded };
}

function subjectsOf({ appId, category, eventId, at, position, deviceKey, userKey }: AppEventFact): readonly First[] {
  const device = { appId, subject: `d:${deviceKey}`, category, eventId, at, position };
  return userKey === null ? [device] : [device, { ...device, subject: `u:${userKey}` }];
}

const keyColumns: Columns<First> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  subject: { type: "text", of: ({ subject }) => subject },
  category: { type: "text", of: ({ category }) => category },
};

const columns: Columns<First> = {
  ...keyColumns,
  event_id: { type: "uuid", of: ({ eventId }) => eventId },
  at: { type: "timestamptz", of: ({ at }) => new Date(at).toISOString() },
  position: { type: "bigint", of: ({ position }) => position },
};

interface FirstRow {
  readonly app_id: number;
  readonly subject: string;
  readonly category: string;
  readonly event_id: string;
  readonly at: Date;
  readonly position: bigint | string;
}

async function storedFirsts(
  trx: Knex.Transaction,
  schema: SchemaName,
  asked: readonly First[],
): Promise<Map<string, First>> {
  const distinct = new Map(asked.map((first) => [keyOf(first), first]));
  const { text, values } = unnest([...distinct.values()], keyColumns, "asked");
  const { rows }: { rows: readonly FirstRow[] } = await trx.raw(
    // The limit keeps it to one look into the index per subject, however large or small the planner believes the table.
    `select first.*
     from ${text}
     cross join lateral (
       select *
       from ${schema}.firsts as stored
       where stored.app_id = asked.app_id and stored.subject = asked.subject and stored.category = asked.category
       limit 1
     ) as first`,
    [...values],
  );
  const firsts = rows.map(
    ({ app_id, event_id, at, position, ...row }): First => ({
      ...row,
      appId: app_id,
      eventId: event_id,
      at: at.getTime(),
      position: BigInt(position),
    }),
  );
  return new Map(firsts.map((first) => [keyOf(first), first]));
}

async function store(trx: Knex.Transaction, schema: SchemaName, firsts: readonly First[]): Promise<void> {
  if (firsts.length === 0) return;
  const { text, names, values } = unnest(firsts, columns, "first");
  await trx.raw(
    `insert into ${schema}.firsts (${names})
     select ${names} from ${text}
     on conflict (app_id, subject, category)
     do update set event_id = excluded.event_id, at = excluded.at, position = excluded.position`,
    [...values],
  );
}

function keyOf({ appId, subject, category }: First): string {
  return `${appId} ${subject} ${category}`;
}
