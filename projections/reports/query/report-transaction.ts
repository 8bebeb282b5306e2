import type { Knex } from "knex";
import { pause, whenAborted } from "../../waiting.ts";

export interface ReportLimits {
  /** Time limit of a statement; beyond it the error has SQLSTATE 57014. */
  readonly timeoutMs: number;
  /** When it aborts, the running statement is cancelled: the error has SQLSTATE 57014, or is `ReportAbandoned`. */
  readonly signal?: AbortSignal;
}

/** The report is no longer needed. */
export class ReportAbandoned extends Error {
  override readonly name = "ReportAbandoned";
}

/** A cancellation between two statements of the transaction has no effect, so it is repeated. */
const cancelAgainMs = 50;

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
      const ended = new AbortController();
      const cancelling = cancelOnAbort(db, await backendOf(trx), signal, ended.signal);
      try {
        throwIfAbandoned(signal);
        return await read(trx);
      } finally {
        ended.abort();
        // The connection must not be another's while it is being cancelled.
        await cancelling;
      }
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

/** A server process of Postgres, in one transaction. */
interface Backend {
  readonly pid: number;
  /** With every digit. */
  readonly since: string;
}

async function backendOf(trx: Knex.Transaction): Promise<Backend> {
  const { rows } = await trx.raw<{ rows: Backend[] }>("select pg_backend_pid() as pid, now()::text as since");
  const [backend] = rows;
  if (backend === undefined) throw new Error("A row was expected");
  return backend;
}

/** After `signal` has aborted, cancels the transaction's statements until `ended` aborts. */
async function cancelOnAbort(db: Knex, backend: Backend, signal: AbortSignal, ended: AbortSignal): Promise<void> {
  await whenAborted(AbortSignal.any([signal, ended]));
  while (!ended.aborted) {
    // A failure to cancel leaves the statement to the next attempt, and to its time limit.
    await db
      .raw("select pg_cancel_backend(pid) from pg_stat_activity where pid = :pid and xact_start = :since", {
        ...backend,
      })
      .catch(() => undefined);
    await pause(cancelAgainMs, ended);
  }
}
