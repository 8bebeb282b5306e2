import { type Moment, precedes } from "../../../domain/attribution/event-order.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import type { AppEventFact } from "./app-events.ts";

/** The first event of its category by one subject, a device (its key) or a user (see {@link userSubject}). */
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

export interface FirstEvents {
  /**
   * Which new events are the first of their category at their own position (contract/attribution.md#first-installs);
   * user: null without a user.
   */
  readonly found: ReadonlyMap<AppEventFact, { readonly ofDevice: boolean; readonly ofUser: boolean | null }>;
  /** Stored and new events that cease to be the first. */
  readonly preceded: readonly Preceded[];
  /** Who is the first of subjects that had none. */
  readonly added: readonly First[];
  /** Who is the first now, of subjects that had another. */
  readonly replaced: readonly First[];
}

/** Stored firsts by their subject and category. */
export type StoredFirstEvents = ReadonlyMap<string, First>;

/** Finds out which of some new events, given in the log's order, are firsts. */
export function findFirstEvents(stored: StoredFirstEvents, facts: readonly AppEventFact[]): FirstEvents {
  const changed = new Map<string, First>();
  const preceded: Preceded[] = [];

  const isFirst = (of: "device" | "user", one: First): boolean => {
    const key = keyOf(one);
    const before = changed.get(key) ?? stored.get(key);
    if (before !== undefined && !precedes(one, before)) return false;
    if (before !== undefined) preceded.push({ appId: one.appId, eventId: before.eventId, of, from: one.position });
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
  const isStored = (first: First): boolean => stored.has(keyOf(first));
  const firsts = [...changed.values()];
  return {
    found,
    preceded,
    added: firsts.filter((first) => !isStored(first)),
    replaced: firsts.filter(isStored),
  };
}

function subjectsOf({ appId, category, eventId, at, position, deviceKey, userKey }: AppEventFact): readonly First[] {
  const device = { appId, subject: deviceKey, category, eventId, at, position };
  return userKey === null ? [device] : [device, { ...device, subject: userSubject(userKey) }];
}

/** A UUID that no device key can be, which carry their version and variant. */
function userSubject(userKey: bigint): string {
  const hex = BigInt.asUintN(64, userKey).toString(16).padStart(16, "0");
  return `00000000-0000-0000-${hex.slice(0, 4)}-${hex.slice(4)}`;
}

const keyColumns: Columns<First> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  subject: { type: "uuid", of: ({ subject }) => subject },
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

/** The firsts, so far, of the devices and users that some events are of. */
export async function lookUpFirstEvents(
  { schema, run }: StatementPipeline,
  facts: readonly AppEventFact[],
): Promise<StoredFirstEvents> {
  if (facts.length === 0) return new Map();
  const distinct = new Map(facts.flatMap(subjectsOf).map((first) => [keyOf(first), first]));
  const { text, values } = unnest([...distinct.values()], keyColumns, "asked");
  const rows = await run<FirstRow>(
    // The limit keeps it to one look into the index per subject, however large or small the planner believes the table.
    `select first.*
     from ${text}
     cross join lateral (
       select *
       from ${schema}.firsts as stored
       where stored.app_id = asked.app_id and stored.subject = asked.subject and stored.category = asked.category
       limit 1
     ) as first`,
    values,
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

export async function storeFirstEvents(pipeline: StatementPipeline, { added, replaced }: FirstEvents): Promise<void> {
  await Promise.all([addFirsts(pipeline, added), replaceFirsts(pipeline, replaced)]);
}

async function addFirsts({ schema, run }: StatementPipeline, firsts: readonly First[]): Promise<void> {
  if (firsts.length === 0) return;
  const { text, names, values } = unnest(firsts, columns, "first");
  await run(`insert into ${schema}.firsts (${names}) select ${names} from ${text}`, values);
}

async function replaceFirsts({ schema, run }: StatementPipeline, firsts: readonly First[]): Promise<void> {
  if (firsts.length === 0) return;
  const { text, values } = unnest(firsts, columns, "first");
  await run(
    `update ${schema}.firsts as stored
     set event_id = first.event_id, at = first.at, position = first.position
     from ${text}
     where stored.app_id = first.app_id and stored.subject = first.subject and stored.category = first.category`,
    values,
  );
}

function keyOf({ appId, subject, category }: First): string {
  return `${appId} ${subject} ${category}`;
}
