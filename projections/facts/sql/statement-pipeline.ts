import type { Knex } from "knex";
import type { SchemaName } from "../../projection.ts";

/** The tables of one generation, inside one transaction. */
export interface TableWriter {
  readonly schema: SchemaName;
  /**
   * Sends a statement at once, to be run behind those sent before: Postgres works on while the next are prepared and
   * answers are read. After a failure every later one fails with it, whoever asks: unsent, or refused by Postgres when
   * it was on its way, as the transaction has failed.
   */
  run<Row = never>(text: string, values: readonly string[]): Promise<readonly Row[]>;
}

export function writerOf(trx: Knex.Transaction, schema: SchemaName): TableWriter {
  let failure: { readonly thrown: unknown } | null = null;
  return {
    schema,
    run: async <Row>(text: string, values: readonly string[]) => {
      if (failure !== null) throw failure.thrown;
      try {
        const { rows }: { rows: readonly Row[] } = await trx.raw(text, [...values]);
        return rows;
      } catch (thrown) {
        failure ??= { thrown };
        throw failure.thrown;
      }
    },
  };
}
