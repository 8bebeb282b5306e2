import type { Knex } from "knex";
import type { EventType, RecordedEvent, RecordedOfType } from "../domain/event-catalogue.ts";

/** Projections of one group share a transaction and a checkpoint. */
export type GroupName = "control" | "facts";

/** The tables of one generation: a Postgres schema of their own. */
export type SchemaName = string;

/**
 * Events to rows. `apply` has no clock, no randomness and no I/O but its transaction, works on sets of rows, and gives
 * the same rows however the events are split into batches, and when a batch is applied twice.
 */
export interface Projection {
  readonly name: string;
  /** Raised whenever the tables or the meaning of their rows change: the next start builds a new generation. */
  readonly version: number;
  readonly group: GroupName;
  readonly handles: readonly string[];
  /** Which unit is set aside when an event cannot be applied: that event alone, or its whole stream. */
  readonly parkBy: "fact" | "stream";
  /** Tables that `verify` compares, with the columns that order their rows uniquely. */
  readonly tables: { readonly [table: string]: readonly string[] };
  createTables(trx: Knex.Transaction, schema: SchemaName): Promise<void>;
  /** Indexes that `apply` does not need, only queries: a build has them made at its end, which is much cheaper. */
  createQueryIndexes?(trx: Knex.Transaction, schema: SchemaName): Promise<void>;
  /** `batch` holds only events of `handles`, in log order. */
  apply(trx: Knex.Transaction, schema: SchemaName, batch: readonly RecordedEvent[]): Promise<void>;
}

/** A projection whose `apply` gets exactly the events of the types in `handles`. */
export function defineProjection<Type extends EventType>(
  projection: Omit<Projection, "apply"> & {
    readonly handles: readonly Type[];
    apply(trx: Knex.Transaction, schema: SchemaName, batch: readonly RecordedOfType<Type>[]): Promise<void>;
  },
): Projection {
  return projection;
}

/** A read model as a query sees it: the connection and the generation that is live. */
export interface ReadModel {
  readonly db: Knex | Knex.Transaction;
  readonly schema: SchemaName;
}

/** Which generation answers: read once per query run and used for all of it. */
export interface ReadModels {
  live(projection: string): Promise<ReadModel>;
}
