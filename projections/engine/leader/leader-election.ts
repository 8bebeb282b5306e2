import type { Knex } from "knex";
import { backoffMs } from "../../../domain/backoff.ts";
import { pause, succeedsWithin } from "../../waiting.ts";
import { advisoryLocks } from "../advisory-locks.ts";
import { Fenced } from "../checkpoints/checkpoint.ts";
import type { EngineLogger } from "../runner/log-reader.ts";

/** One process of a deployment at a time is the leader of a role. */
export interface Leadership {
  /**
   * Higher than that of every earlier leader; fences their late writes: {@link requireEpoch}, and for read models
   * `applyBatch`.
   */
  readonly epoch: bigint;
  /** Aborts when leadership is lost, or the process stops. */
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

const retryMs = 500;
const maxRetryMs = 5_000;
const heartbeatMs = 2_000;
const heartbeatTimeoutMs = 10_000;
/** Postgres ends the session of a leader that sends no heartbeats: it is frozen, or cut off. */
const sessionTimeoutMs = 10_000;

/**
 * Waits to become the leader of a role, then runs `work`; repeats that when leadership is lost, until `stop` aborts.
 * Leadership is an advisory lock on a dedicated connection; losing the connection aborts the signal passed to `work`.
 * Postgres ends the session of a leader that was frozen or cut off, so that another is elected within 15 s.
 * An error of `work` is logged, unless it is the one before, and the lock released before the next attempt.
 */
export async function runAsLeader(
  db: Knex,
  name: string,
  stop: AbortSignal,
  logger: EngineLogger,
  work: (held: Leadership) => Promise<void>,
): Promise<void> {
  let lastReason = "";
  for (let failures = 0; !stop.aborted; ) {
    try {
      const held = await withLock(db, name, stop, work);
      failures = 0;
      if (held) lastReason = "";
      if (!held) await pause(retryMs, stop);
    } catch (failure) {
      failures += 1;
      const reason = String(failure);
      if (!stop.aborted && reason !== lastReason)
        logger.error({ err: failure, role: name }, "this process has lost a role; waiting for it");
      lastReason = reason;
      await pause(backoffMs(failures, retryMs, maxRetryMs), stop);
    }
  }
}

/**
 * A row if `:epoch` is still that of the leader of `:role`, none otherwise. The next leader waits until the transaction
 * has ended.
 */
export const leaderRow = `
  select
  from touchledger.roles
  where role = :role and epoch = :epoch
  for share`;

/**
 * Makes a transaction fail unless `epoch` is still that of the leader: guards what a leader writes to schema `work`.
 */
export async function requireEpoch(trx: Knex.Transaction, role: string, epoch: bigint): Promise<void> {
  const { rows }: { rows: readonly unknown[] } = await trx.raw(leaderRow, { role, epoch: String(epoch) });
  if (rows.length === 0) throw new Fenced(`The role ${role} has another leader.`);
}

/** Whether a process of the deployment leads a role. Locks of read-only users do not count. */
export async function hasLeader(db: Knex, name: string): Promise<boolean> {
  const { rows }: { rows: readonly { readonly held: boolean }[] } = await db.raw(
    `select exists (
       select
       from (${advisoryLocks}) as held
       join pg_stat_activity using (pid)
       where has_table_privilege(usesysid, to_regclass('touchledger.roles'), 'update')
         and key = hashtextextended(?, 0)
     ) as held`,
    [lockName(name)],
  );
  return rows[0]?.held === true;
}

/** Runs `work` as the leader of a role; returns false at once when another process is the leader. */
export function tryRunAsLeader(db: Knex, name: string, work: (held: Leadership) => Promise<void>): Promise<boolean> {
  return withLock(db, name, new AbortController().signal, work);
}

/** False when another process has the lock. */
async function withLock(
  db: Knex,
  name: string,
  stop: AbortSignal,
  work: (held: Leadership) => Promise<void>,
): Promise<boolean> {
  const pool: ConnectionPool = db.client;
  const connection = await pool.acquireConnection();
  const lost = new AbortController();
  const lose = (): void => lost.abort();
  const query = async <Row>(sql: string, bindings: readonly string[]): Promise<Row | undefined> => {
    const { rows }: { rows: readonly Row[] } = await db.raw(sql, bindings).connection(connection);
    return rows[0];
  };
  connection.on("end", lose);
  connection.on("error", lose);
  let isOurs = false;
  try {
    const lock = await query<{ held: boolean }>("select pg_try_advisory_lock(hashtextextended(?, 0)) as held", [
      lockName(name),
    ]);
    isOurs = lock?.held === true;
    if (!isOurs) return false;
    const role = await query<{ epoch: bigint }>(
      `insert into touchledger.roles (role, epoch)
       values (?, 1)
       on conflict (role) do update
       set epoch = roles.epoch + 1
       returning epoch, set_config('idle_session_timeout', ?, false)`,
      [name, String(sessionTimeoutMs)],
    );
    const heartbeats = sendHeartbeats(() => query("select 1", []), lost);
    try {
      await work({ epoch: role?.epoch ?? 0n, signal: AbortSignal.any([lost.signal, stop]) });
    } finally {
      lost.abort();
      await heartbeats;
    }
    return true;
  } finally {
    connection.off("end", lose);
    connection.off("error", lose);
    const isReleased =
      !isOurs ||
      (await succeedsWithin(
        heartbeatTimeoutMs,
        query("select pg_advisory_unlock(hashtextextended(?, 0)), set_config('idle_session_timeout', '0', false)", [
          lockName(name),
        ]),
      ));
    // Destroying the connection releases the lock, whatever state the connection is in.
    if (!isReleased) await pool.destroyRawConnection(connection).catch(() => undefined);
    await pool.releaseConnection(connection).catch(() => undefined);
  }
}

/** Aborts `lost` when the connection stops responding. */
async function sendHeartbeats(heartbeat: () => Promise<unknown>, lost: AbortController): Promise<void> {
  while (!lost.signal.aborted) {
    await pause(heartbeatMs, lost.signal);
    if (lost.signal.aborted) return;
    if (!(await succeedsWithin(heartbeatTimeoutMs, heartbeat()))) lost.abort();
  }
}

function lockName(role: string): string {
  return `touchledger ${role}`;
}
