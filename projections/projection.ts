import type { Knex } from "knex";
import type { EventType, RecordedEvent, RecordedOfType } from "../domain/event-catalogue.ts";

/** Projections of one group share a transaction and a checkpoint. */
export type GroupName = "control" | "facts";

/** The Postgres schema with the tables of one generation. */
export type SchemaName = string;

/**
 * Events to rows. `apply` uses no clock, no randomness and no I/O except its transaction. It produces the same rows
 * however the events are split into batches, and when a batch is applied twice.
 */
export interface Projection {
  readonly name: string;
  /** To be raised when the tables or the meaning of their rows change: the next start builds a new generation. */
  readonly version: number;
  readonly group: GroupName;
  readonly handles: readonly string[];
  /** High-volume types of `handles`: in group `control` only these wait for the minimum interval of batches. */
  readonly canWait?: readonly string[];
  /** Which events are parked when one cannot be applied: that one (`fact`), or also all later ones of its stream. */
  readonly parkBy: "fact" | "stream";
  /** Tables that `verify` compares with a replay, with the columns that order their rows uniquely. */
  readonly tables: { readonly [table: string]: readonly string[] };
  createTables(trx: Knex.Transaction, schema: SchemaName): Promise<void>;
  /** Indexes that only queries need: created at the end of a replay, which is much cheaper. */
  createQueryIndexes?(trx: Knex.Transaction, schema: SchemaName): Promise<void>;
  /** `batch` holds only events of `handles`, in log order. */
  apply(trx: Knex.Transaction, schema: SchemaName, batch: readonly RecordedEvent[]): Promise<void>;
  /** Computes the rows that background jobs have derived from the tables again, and compares them (`verify`). */
  verifyDerived?(model: ReadModel): Promise<readonly DerivedTable[]>;
}

/** Rows of each kind that a {@link DerivedTable} lists. */
export const maxListedRows = 20;

/** A table whose rows a background job derives from those that `apply` writes; compared with what they give now. */
export interface DerivedTable {
  readonly table: string;
  /** The number of rows that are in use. */
  readonly rows: number;
  /** The first rows that are stored and should not be, JSON text. */
  readonly wrong: readonly string[];
  /** The first rows that should be stored instead, JSON text. */
  readonly missing: readonly string[];
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

/** What a query reads: a connection, and the schema of the live generation. */
export interface ReadModel {
  readonly db: Knex | Knex.Transaction;
  readonly schema: SchemaName;
}

/** Finds the live generation of a projection. A query calls it once and uses one generation throughout. */
export interface ReadModels {
  live(projection: string): Promise<ReadModel>;
}
