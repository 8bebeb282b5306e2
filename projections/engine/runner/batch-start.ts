import type { Knex } from "knex";
import type { GroupName, SchemaName } from "../../projection.ts";
import { liveForMs } from "../../read-models.ts";
import { type Checkpoint, type CheckpointRow, checkpointOf } from "../checkpoints/checkpoint.ts";

/** What a batch finds when it begins: nothing of it changes until its transaction ends. */
export interface BatchStart {
  /** Null when the group has never run, or was reset. */
  readonly checkpoint: Checkpoint | null;
  /** Schemas of the live generations, by `generationKey`. */
  readonly live: ReadonlyMap<string, SchemaName>;
  readonly parkedStreams: ReadonlyMap<SchemaName, ReadonlySet<string>>;
  /** Ids of events left out, by projection. */
  readonly skipped: ReadonlyMap<string, ReadonlySet<string>>;
  /** How long readers may still use what a promotion has just replaced; zero or less when all have moved on. */
  readonly settlesInMs: number;
}

/** Crossing a process and its clock takes so long at most. */
const settleMarginMs = 500;

/** What tells apart the generations of different versions. */
export function generationKey({ name, version }: { readonly name: string; readonly version: number }): string {
  return `${name} ${version}`;
}

/**
 * Begins a batch of a group: locks its checkpoint, so that promotions, retries and other runners wait, and reads what
 * the batch must respect. One round trip.
 */
export async function startBatch(trx: Knex.Transaction, group: GroupName): Promise<BatchStart> {
  const answers: readonly { readonly rows: readonly unknown[] }[] = await trx.raw(`
    set local synchronous_commit = off;
    set local jit = off;
    set local idle_in_transaction_session_timeout = '60s';
    select * from touchledger.checkpoints where group_name = '${group}' for update;
    select projection as name, version, schema_name,
           extract(epoch from promoted_at - clock_timestamp())::float8 * 1000 + ${liveForMs + settleMarginMs} as settles_in
      from touchledger.generations where group_name = '${group}' and state = 'live';
    select distinct schema_name, stream
      from touchledger.parked_events where group_name = '${group}' and park_by = 'stream';
    select projection, event_id from touchledger.skipped_events`);
  const [checkpoints, generations, streams, skipped] = answers.slice(3).map(({ rows }) => rows) as unknown as [
    readonly CheckpointRow[],
    readonly {
      readonly name: string;
      readonly version: number;
      readonly schema_name: SchemaName;
      readonly settles_in: number | null;
    }[],
    readonly { readonly schema_name: SchemaName; readonly stream: string }[],
    readonly { readonly projection: string; readonly event_id: string }[],
  ];
  const [checkpoint] = checkpoints;
  return {
    checkpoint: checkpoint === undefined ? null : checkpointOf(checkpoint),
    live: new Map(generations.map((generation) => [generationKey(generation), generation.schema_name])),
    parkedStreams: grouped(streams.map(({ schema_name, stream }) => [schema_name, stream])),
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
