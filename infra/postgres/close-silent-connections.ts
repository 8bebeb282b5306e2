import { setTimeout as pause } from "node:timers/promises";
import type { Knex } from "knex";
import pg from "pg";
import type { Log } from "../process/log.ts";
import { socketsOf } from "./database.ts";

/** How long Postgres may take to respond to the simplest statement before silent connections are closed. */
const usualTimeoutMs = 10_000;

/** Options of the pool for the question whether Postgres responds. */
export const probeOptions = { max: 1, statementTimeoutMs: usualTimeoutMs, connectTimeoutMs: usualTimeoutMs };

export interface SilenceOptions {
  /** A pool of one connection with `timeoutMs` as the limit of its statements and connection attempts. */
  readonly probe: Knex;
  readonly pools: readonly Knex[];
  /** How long Postgres may take to respond to the probe (default: as in {@link probeOptions}). */
  readonly timeoutMs?: number;
  readonly log: Log;
}

/** As parts of `timeoutMs`: the pause between two probes, and the time in which what has come meanwhile is read. */
const [pausePart, gracePart] = [0.5, 0.1];
/** Timers may fire early by this part. */
const leastPart = 0.9;
/** A probe ends a second after `timeoutMs`; if it ends much later, this process was frozen itself. */
const maxLateMs = 3_000;

/**
 * Closes connections whose server is gone without a word, as after a failover or behind a lost route: the system reports
 * them only a quarter of an hour later, and statements may take an hour. Whenever Postgres does not respond to a probe in
 * time, connections through which nothing has come meanwhile are closed, and their statements fail.
 */
export function closeSilentConnections({ probe, pools, timeoutMs = usualTimeoutMs, log }: SilenceOptions): {
  stop(): void;
} {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sleep = (ms: number): Promise<unknown> => pause(ms, undefined, { signal }).catch(() => undefined);

  const checkOnce = async (): Promise<void> => {
    const sockets = pools.flatMap((pool) => [...socketsOf(pool)]);
    const received = new Map(sockets.map((socket) => [socket, socket.bytesRead]));
    const since = performance.now();
    const isSilent = await probe.raw("select 1").then(
      () => false,
      (failure: unknown) => {
        const ms = performance.now() - since;
        return !(failure instanceof pg.DatabaseError) && ms >= leastPart * timeoutMs && ms <= timeoutMs + maxLateMs;
      },
    );
    if (!isSilent || signal.aborted) return;
    await sleep(gracePart * timeoutMs);
    const silent = sockets.filter((socket) => !socket.destroyed && socket.bytesRead === received.get(socket));
    if (silent.length === 0) return;
    log.warn(
      { connections: silent.length },
      "Postgres does not respond: connections through which nothing comes are closed",
    );
    const failure = Object.assign(new Error("Postgres does not respond"), { code: "ETIMEDOUT" });
    for (const socket of silent) socket.destroy(failure);
  };
  const checkRepeatedly = async (): Promise<void> => {
    while (!signal.aborted) {
      await checkOnce();
      await sleep(pausePart * timeoutMs);
    }
  };
  void checkRepeatedly();
  return { stop: () => stopping.abort() };
}
