import type { Knex } from "knex";
import type { SchemaName } from "../projection.ts";

/** The tables of one generation, inside one transaction. */
export interface TableWriter {
  readonly schema: SchemaName;
  /**
   * Runs a statement behind those asked for before, whoever asked: while Postgres works on one, the next is prepared.
   * After a failure every later statement fails with it, unsent.
   */
  run<Row = never>(text: string, values: readonly string[]): Promise<readonly Row[]>;
}

export function writerOf(trx: Knex.Transaction, schema: SchemaName): TableWriter {
  let last: Promise<unknown> = Promise.resolve();
  return {
    schema,
    run: <Row>(text: string, values: readonly string[]) => {
      const run = last.then(async (): Promise<readonly Row[]> => {
        const { rows }: { rows: readonly Row[] } = await trx.raw(text, [...values]);
        return rows;
      });
      last = run;
      return run;
    },
  };
}
