import type { Knex } from "knex";
import { Fenced } from "../checkpoints/checkpoint.ts";
import { backoffMs, pause } from "../runner/backoff.ts";
import type { EngineLog } from "../runner/log-reader.ts";

/** A role of which one process of a deployment has it at a time. */
export interface HeldRole {
  /** Higher than that of every holder before: what fences their late writes. */
  readonly epoch: bigint;
  /** Aborts when the role is lost, or the process is asked to stop. */
  readonly signal: AbortSignal;
}

/** A connection of the driver below knex. */
interface RawConnection {
  on(event: "end" | "error", listener: () => void): void;
  off(event: "end" | "error", listener: () => void): void;
}

interface ConnectionPool {
  acquireConnection(): Promise<RawConnection>;
  releaseConnection(connection: RawConnection): Promise<void>;
  destroyRawConnection(connection: RawConnection): Promise<void>;
}

const askAgainMs = 500;
const heartbeatMs = 2_000;
const answerWithinMs = 10_000;

/**
 * Waits until no other process has the role `name`, then does `work`, and again whenever the role was lost, until
 * `stop` aborts. The role is an advisory lock on a connection of its own; losing that connection aborts the signal that
 * `work` gets. What `work` throws is logged, and the role is let go before the next attempt.
 */
export async function holdRole(
  db: Knex,
  name: string,
  stop: AbortSignal,
  engineLog: EngineLog,
  work: (held: HeldRole) => Promise<void>,
): Promise<void> {
  for (let failures = 0; !stop.aborted; ) {
    try {
      const held = await withLock(db, name, stop, work);
      failures = 0;
      if (!held) await pause(askAgainMs, stop);
    } catch (failure) {
      failures += 1;
      if (!stop.aborted) engineLog.error({ err: failure, role: name }, "the role was lost; waiting to take it again");
      await pause(Math.max(askAgainMs, backoffMs(failures)), stop);
    }
  }
}

/**
 * Makes a transaction fail unless `epoch` still has the role: the guard of what a role writes to schema `work`. A next
 * holder waits until the transaction has ended.
 */
export async function requireEpoch(trx: Knex.Transaction, name: string, epoch: bigint): Promise<void> {
  const { rows }: { rows: readonly unknown[] } = await trx.raw(
    "select 1 from touchledger.roles where role = ? and epoch = ? for share",
    [name, String(epoch)],
  );
  if (rows.length === 0) throw new Fenced(`The role ${name} has another holder.`);
}

/** Does `work` in the role when no other process has it; answers false, at once, when one has. */
export function tryRole(db: Knex, name: string, work: (held: HeldRole) => Promise<void>): Promise<boolean> {
  return withLock(db, name, new AbortController().signal, work);
}

/** False when another process has the lock. */
async function withLock(
  db: Knex,
  name: string,
  stop: AbortSignal,
  work: (held: HeldRole) => Promise<void>,
): Promise<boolean> {
  const pool: ConnectionPool = db.client;
  const connection = await pool.acquireConnection();
  const lost = new AbortController();
  const lose = (): void => lost.abort();
  const ask = async <Row>(sql: string, bindings: readonly string[]): Promise<Row | undefined> => {
    const { rows }: { rows: readonly Row[] } = await db.raw(sql, bindings).connection(connection);
    return rows[0];
  };
  connection.on("end", lose);
  connection.on("error", lose);
  let isOurs = false;
  try {
    const lock = await ask<{ held: boolean }>("select pg_try_advisory_lock(hashtextextended(?, 0)) as held", [
      lockName(name),
    ]);
    isOurs = lock?.held === true;
    if (!isOurs) return false;
    const role = await ask<{ epoch: bigint | string }>(
      `insert into touchledger.roles (role, epoch) values (?, 1)
       on conflict (role) do update set epoch = roles.epoch + 1, held_since = now() returning epoch`,
      [name],
    );
    const beating = keepBeating(() => ask("select 1", []), lost);
    try {
      await work({ epoch: BigInt(role?.epoch ?? 0), signal: AbortSignal.any([lost.signal, stop]) });
    } finally {
      lost.abort();
      await beating;
    }
    return true;
  } finally {
    connection.off("end", lose);
    connection.off("error", lose);
    const isFree =
      !isOurs || (await answers(ask("select pg_advisory_unlock(hashtextextended(?, 0))", [lockName(name)])));
    // Then the lock goes with its connection, whatever state that is in.
    if (!isFree) await pool.destroyRawConnection(connection).catch(() => undefined);
    await pool.releaseConnection(connection).catch(() => undefined);
  }
}

/** Aborts `lost` when the connection does not answer any more. */
async function keepBeating(beat: () => Promise<unknown>, lost: AbortController): Promise<void> {
  while (!lost.signal.aborted) {
    await pause(heartbeatMs, lost.signal);
    if (lost.signal.aborted) return;
    const answered = await answers(beat());
    if (!answered) lost.abort();
  }
}

/** Whether a connection has answered, and in time. */
function answers(question: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), answerWithinMs);
    question
      .then(
        () => resolve(true),
        () => resolve(false),
      )
      .finally(() => clearTimeout(timer));
  });
}

function lockName(role: string): string {
  return `touchledger ${role}`;
}
