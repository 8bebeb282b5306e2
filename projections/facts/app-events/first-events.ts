import { type EventOrderKey, precedes } from "../../../domain/attribution/event-order.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, insertRows, unnest } from "../sql/unnest.ts";
import type { AppEventFact } from "./app-events.ts";

/** The first event of its category by one subject, a device (its key) or a user (see {@link userSubject}). */
interface First extends EventOrderKey {
  readonly appId: number;
  readonly subject: string;
  readonly category: string;
  readonly eventId: string;
}

/** An event that ceases to be the first, because an earlier one was recorded. */
export interface Preceded {
  readonly appId: number;
  readonly eventId: string;
  readonly of: "device" | "user";
  /** Position of the earlier event. */
  readonly from: bigint;
}

export interface FirstEvents {
  /**
   * Whether new events are the first of their category at their own position (contract/attribution.md#first-installs);
   * `ofUser` is null without a user.
   */
  readonly found: ReadonlyMap<AppEventFact, { readonly ofDevice: boolean; readonly ofUser: boolean | null }>;
  /** Stored and new events that cease to be the first. */
  readonly preceded: readonly Preceded[];
  /** The first events of subjects that had none. */
  readonly added: readonly First[];
  /** The new first events of subjects that had another. */
  readonly replaced: readonly First[];
}

/** Stored first events by subject and category. */
export type StoredFirstEvents = ReadonlyMap<string, First>;

/** Finds the first events among new events, which must be in log order. */
export function findFirstEvents(stored: StoredFirstEvents, facts: readonly AppEventFact[]): FirstEvents {
  const changed = new Map<string, First>();
  const preceded: Preceded[] = [];

  const isFirst = (of: "device" | "user", first: First): boolean => {
    const key = keyOf(first);
    const before = changed.get(key) ?? stored.get(key);
    if (before !== undefined && !precedes(first, before)) return false;
    if (before !== undefined) preceded.push({ appId: first.appId, eventId: before.eventId, of, from: first.position });
    changed.set(key, first);
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

/** A UUID that cannot be a device key: those contain a version and a variant. */
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

/** The stored first events of the devices and users of `facts`. */
export async function lookUpFirstEvents(
  { schema, run }: StatementPipeline,
  facts: readonly AppEventFact[],
): Promise<StoredFirstEvents> {
  if (facts.length === 0) return new Map();
  const distinct = new Map(facts.flatMap(subjectsOf).map((first) => [keyOf(first), first]));
  const { text, values } = unnest([...distinct.values()], keyColumns, "requested");
  const rows = await run<Omit<First, "at"> & { readonly at: Date }>(
    // The limit makes the planner use one index scan per subject, whatever it estimates of the table.
    `select first.app_id as "appId", first.subject, first.category, first.event_id as "eventId", first.at, first.position
     from ${text}
     cross join lateral (
       select *
       from ${schema}.firsts as stored
       where stored.app_id = requested.app_id
         and stored.subject = requested.subject
         and stored.category = requested.category
       limit 1
     ) as first`,
    values,
  );
  return new Map(rows.map((row) => [keyOf(row), { ...row, at: row.at.getTime() }]));
}

export async function storeFirstEvents(pipeline: StatementPipeline, { added, replaced }: FirstEvents): Promise<void> {
  await Promise.all([insertRows(pipeline, "firsts", added, columns), replaceFirsts(pipeline, replaced)]);
}

async function replaceFirsts({ schema, run }: StatementPipeline, firsts: readonly First[]): Promise<void> {
  if (firsts.length === 0) return;
  const { text, values } = unnest(firsts, columns, "first");
  await run(
    `update ${schema}.firsts as stored
     set event_id = first.event_id, at = first.at, position = first.position
     from ${text}
     where stored.app_id = first.app_id
       and stored.subject = first.subject
       and stored.category = first.category`,
    values,
  );
}

function keyOf({ appId, subject, category }: Pick<First, "appId" | "subject" | "category">): string {
  return `${appId} ${subject} ${category}`;
}
