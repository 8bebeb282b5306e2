import type { Knex } from "knex";
import type { SchemaName } from "../../projection.ts";

/** Sends statements to one generation's tables in one transaction without waiting for each reply. */
export interface StatementPipeline {
  readonly schema: SchemaName;
  /**
   * Sends a statement at once; Postgres runs it after those sent before, while Node prepares the next ones. After a
   * failure every later statement rejects with that failure.
   */
  run<Row = never>(text: string, values: readonly string[]): Promise<readonly Row[]>;
}

export function openPipeline(trx: Knex.Transaction, schema: SchemaName): StatementPipeline {
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
