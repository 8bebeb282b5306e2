import type { Knex } from "knex";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { openDatabase } from "../../infra/postgres/database.ts";
import type { Projection, ReadModel } from "../../projections/projection.ts";
import { testPostgres } from "../support/stores.ts";

/** The tables of one projection, in a database of the test's own. */
interface OneProjection extends ReadModel {
  readonly db: Knex;
  /** Empties the tables and applies the events as one batch. */
  rebuild(events: readonly RecordedEvent[]): Promise<void>;
  close(): Promise<void>;
}

export async function openProjection({ createTables, apply }: Projection): Promise<OneProjection> {
  const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test", synchronousCommit: "off" });
  const schema = "read_model";
  return {
    db,
    schema,
    rebuild: (events) =>
      db.transaction(async (trx) => {
        await trx.raw(`drop schema if exists ${schema} cascade; create schema ${schema}`);
        await createTables(trx, schema);
        await apply(trx, schema, events);
      }),
    close: () => db.destroy(),
  };
}
