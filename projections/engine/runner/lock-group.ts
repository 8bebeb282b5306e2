import type { Knex } from "knex";
import type { GroupName, SchemaName } from "../../projection.ts";
import { liveForMs } from "../../read-models.ts";
import { type Checkpoint, type CheckpointRow, checkpointColumns, checkpointFrom } from "../checkpoints/checkpoint.ts";

/** What a transaction on a group must respect; it does not change until the transaction ends. */
export interface LockedGroup {
  /** Null when the group has never run, or was reset. */
  readonly checkpoint: Checkpoint | null;
  /** Schemas of the live generations, by {@link generationKey}. */
  readonly live: ReadonlyMap<string, SchemaName>;
  readonly parkedStreams: ReadonlyMap<SchemaName, ReadonlySet<string>>;
  /** Ids of skipped events, by projection. */
  readonly skipped: ReadonlyMap<string, ReadonlySet<string>>;
  /** How long readers may still use a generation that a promotion has just replaced; 0 when none does. At most 1.5 s. */
  readonly settlesInMs: number;
}

/** Allows for the time between reading the clock and using the generation, and for clocks that differ. */
const settleMarginMs = 500;

/** Identifies a version of a projection. */
export function generationKey({ name, version }: { readonly name: string; readonly version: number }): string {
  return `${name} ${version}`;
}

/**
 * Locks a group's checkpoint, so that promotions, retries and other runners wait. One round trip. A promotion in the future,
 * of a clock that was set back, counts from now on.
 */
export async function lockGroup(trx: Knex.Transaction, group: GroupName): Promise<LockedGroup> {
  const replies: readonly { readonly rows: readonly unknown[] }[] = await trx.raw(`
    set local synchronous_commit = off;
    set local jit = off;
    set local idle_in_transaction_session_timeout = '10s';
    select ${checkpointColumns}
    from touchledger.checkpoints
    where group_name = '${group}'
    for update;
    update touchledger.generations
    set promoted_at = clock_timestamp()
    where group_name = '${group}' and state = 'live' and promoted_at > clock_timestamp();
    select projection as name,
           version,
           schema_name as schema,
           extract(epoch from promoted_at - clock_timestamp())::float8 * 1000 + ${liveForMs + settleMarginMs} as settles_in
    from touchledger.generations
    where group_name = '${group}' and state = 'live';
    select distinct schema_name as schema, stream
    from touchledger.parked_events
    where group_name = '${group}' and park_by = 'stream';
    select projection, event_id
    from touchledger.skipped_events`);
  const [checkpoints, , generations, streams, skipped] = replies.slice(3).map(({ rows }) => rows) as unknown as [
    readonly CheckpointRow[],
    readonly never[],
    readonly {
      readonly name: string;
      readonly version: number;
      readonly schema: SchemaName;
      readonly settles_in: number | null;
    }[],
    readonly { readonly schema: SchemaName; readonly stream: string }[],
    readonly { readonly projection: string; readonly event_id: string }[],
  ];
  const [checkpoint] = checkpoints;
  return {
    checkpoint: checkpoint === undefined ? null : checkpointFrom(checkpoint),
    live: new Map(generations.map((generation) => [generationKey(generation), generation.schema])),
    parkedStreams: grouped(streams.map(({ schema, stream }) => [schema, stream])),
    skipped: grouped(skipped.map(({ projection, event_id }) => [projection, event_id])),
    settlesInMs: Math.max(0, ...generations.map(({ settles_in }) => settles_in ?? 0)),
  };
}

/** Members by key. */
export function grouped(pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const [key, member] of pairs) groups.set(key, (groups.get(key) ?? new Set()).add(member));
  return groups;
}
