import type { Knex } from "knex";
import { cancelledOnAbort } from "../../cancelled-on-abort.ts";

export interface ReportLimits {
  /** Time limit of a statement; beyond it the error has SQLSTATE 57014. */
  readonly timeoutMs: number;
  /** When it aborts, the running statement is cancelled: the error has SQLSTATE 57014, or is `ReportAbandoned`. */
  readonly signal?: AbortSignal;
}

/** The report is no longer needed. */
class ReportAbandoned extends Error {
  override readonly name = "ReportAbandoned";
}

/** Runs `read` in a read-only transaction with a snapshot of the database; returns its result. */
export async function reportTransaction<Result>(
  db: Knex,
  { timeoutMs, signal }: ReportLimits,
  read: (trx: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  throwIfAbandoned(signal);
  return db.transaction(
    async (trx) => {
      await trx.raw(`set local statement_timeout = ${Math.ceil(timeoutMs)}; set local work_mem = '64MB'`);
      if (signal === undefined) return read(trx);
      return cancelledOnAbort(db, trx, signal, () => {
        throwIfAbandoned(signal);
        return read(trx);
      });
    },
    { isolationLevel: "repeatable read", readOnly: true },
  );
}

/** Whether a failure is that of a statement which took too long, or was cancelled (SQLSTATE 57014). */
export function wasCancelled(failure: unknown): boolean {
  return failure instanceof Error && "code" in failure && failure.code === "57014";
}

function throwIfAbandoned(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new ReportAbandoned("The report was abandoned");
}
