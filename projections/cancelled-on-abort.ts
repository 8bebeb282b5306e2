import type { Knex } from "knex";
import { pause, whenAborted } from "./waiting.ts";

/** A cancellation between two statements of the transaction has no effect, so it is repeated. */
const cancelAgainMs = 50;

/** Runs `work` in `trx`, whose statements are cancelled once `signal` aborts: they fail with SQLSTATE 57014. */
export async function cancelledOnAbort<Result>(
  db: Knex,
  trx: Knex.Transaction,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const cancelling = cancelUntilEnded(db, await backendOf(trx), signal, ended.signal);
  try {
    return await work();
  } finally {
    ended.abort();
    // The connection must not return to the pool while a cancellation is in progress.
    await cancelling;
  }
}

/** A server process of Postgres, in one transaction. */
interface Backend {
  readonly pid: number;
  /** Start of the transaction as text: a Date would round it. */
  readonly since: string;
}

async function backendOf(trx: Knex.Transaction): Promise<Backend> {
  const { rows } = await trx.raw<{ rows: Backend[] }>("select pg_backend_pid() as pid, now()::text as since");
  const [backend] = rows;
  if (backend === undefined) throw new Error("A row was expected");
  return backend;
}

/** After `signal` has aborted, cancels the transaction's statements until `ended` aborts. */
async function cancelUntilEnded(db: Knex, backend: Backend, signal: AbortSignal, ended: AbortSignal): Promise<void> {
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
