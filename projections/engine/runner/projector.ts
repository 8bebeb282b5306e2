import type { Knex } from "knex";
import type { GroupName, Projection } from "../../projection.ts";
import { type Checkpoint, readCheckpoints } from "../checkpoints/checkpoint.ts";
import { createLogClock } from "../checkpoints/log-clock.ts";
import { checkIdentity, readLogId } from "../checkpoints/log-identity.ts";
import { createEngineTables } from "../engine-tables.ts";
import { dropExpired } from "../generations/generations.ts";
import { rebuild } from "../generations/rebuild.ts";
import { type Leadership, runAsLeader } from "../leader/leader-election.ts";
import { reasonOf } from "../parking/poison.ts";
import { type CommitListener, createPositionWaiters } from "../waiting/position-waiters.ts";
import { createWaitForPosition, pollForPosition, type WaitForPosition } from "../waiting/wait-for-position.ts";
import { backoffMs, pause } from "./backoff.ts";
import { type GroupBuffer, openGroupBuffer } from "./group-buffer.ts";
import { createGroupRunner, type GroupRunner } from "./group-runner.ts";
import type { EngineLog, LogReader } from "./log-reader.ts";
import { startGroup } from "./start-group.ts";
import { createStatus, type ProjectorStatus } from "./status.ts";
import { createTail, type TailListener } from "./tail.ts";

export interface ProjectorOptions {
  /** Three connections are held at most, and one more for each generation being built. */
  readonly db: Knex;
  readonly log: LogReader;
  readonly projections: readonly Projection[];
  /** Hear every event from the start of this process on, whichever process runs the projections. */
  readonly listeners?: readonly TailListener[];
  readonly engineLog: EngineLog;
  /** False: this process only follows the log for its listeners and never runs the projections (default true). */
  readonly runsProjections?: boolean;
  /** How long a replaced generation is kept: longer than any reader's statement time-out. */
  readonly graceMs?: number;
  /** Most events of one transaction. */
  readonly maxBatch?: number;
}

/** Runs the projections, in one process of a deployment at a time. */
export interface Projector {
  /**
   * Resolves once the log is followed. Another process may still have the role; this one then waits for it.
   * @throws {WrongLog} when the read models were built from another log
   */
  start(): Promise<void>;
  /** Lets the batches in flight end. */
  stop(): Promise<void>;
  readonly waitForPosition: WaitForPosition;
  /** Calls `listener` after every commit of this process; what it answers takes it off again. */
  onCommit(listener: CommitListener): () => void;
  status(): Promise<ProjectorStatus>;
}

/** The role of whoever applies events to read models. */
export const projectorRole = "projector";
/** What reports are asked about: its batches keep the log's time, and nobody waits for it who does not say so. */
const factsGroup: GroupName = "facts";
/** How long what was replaced is kept. */
export const defaultGraceMs = 5 * 60_000;
const defaultMaxBatch = 1_000;
const bufferedBatches = 8;
const sweepMs = 15_000;
const releaseTimeoutMs = 15_000;

export function createProjector(options: ProjectorOptions): Projector {
  const { db, log, projections, engineLog } = options;
  const graceMs = options.graceMs ?? defaultGraceMs;
  const maxBatch = options.maxBatch ?? defaultMaxBatch;
  const groups = [...new Set(projections.map(({ group }) => group))];
  const positionWaiters = createPositionWaiters((group) => buffers.get(group)?.recheck());
  const commitListeners = new Set<CommitListener>();
  const tail = createTail(log, engineLog, options.listeners);
  const stopping = new AbortController();
  const buffers = new Map<GroupName, GroupBuffer>();
  const runners = new Map<GroupName, GroupRunner>();
  const failingBuilds = new Map<string, string>();
  let holding: Promise<void> = Promise.resolve();
  let logId = "";

  const notifyCommitted: CommitListener = (group, batch) => {
    for (const listener of commitListeners) {
      try {
        listener(group, batch);
      } catch (failure) {
        engineLog.error({ err: failure, group }, "a listener of the projections has failed");
      }
    }
  };

  const runGroup = (group: GroupName, checkpoint: Checkpoint, epoch: bigint, signal: AbortSignal): Promise<void> => {
    const ours = projections.filter((projection) => projection.group === group);
    const urgent = new Set(group === factsGroup ? [] : ours.flatMap(({ handles }) => handles));
    const buffer = openGroupBuffer(log, {
      maxBatch,
      capacity: maxBatch * bufferedBatches,
      isUrgent: ({ type }) => urgent.has(type),
      isAwaited: () => positionWaiters.isAwaited(group),
    });
    const unlisten = tail.listen(buffer.offer);
    signal.addEventListener("abort", buffer.close, { once: true });
    const writer = {
      group,
      projections: ours,
      epoch,
      clock: group === factsGroup ? createLogClock() : null,
    };
    const runner = createGroupRunner(db, writer, buffer, checkpoint.place, signal, engineLog, (batch, readable) => {
      if (readable !== undefined) positionWaiters.announce(group, readable);
      notifyCommitted(group, batch);
    });
    buffers.set(group, buffer);
    runners.set(group, runner);
    return runner.run().finally(unlisten);
  };

  /** Builds what the group lacks in this version; what fails is tried again, and told by the status until then. */
  const buildMissing = async (group: GroupName, missing: readonly Projection[], signal: AbortSignal): Promise<void> => {
    const names = missing.map(({ name }) => name);
    for (let attempt = 1; missing.length > 0 && !signal.aborted; attempt += 1) {
      try {
        engineLog.info({ group, projections: names }, "building read models in a new version");
        await rebuild(db, log, group, missing, { graceMs, signal });
        engineLog.info({ group, projections: names }, "the new version of the read models is live");
        failingBuilds.delete(group);
        return;
      } catch (failure) {
        if (signal.aborted) return;
        failingBuilds.set(group, reasonOf(failure));
        engineLog.error(
          { err: failure, group, projections: names },
          "the read models could not be built; trying again",
        );
        await pause(backoffMs(attempt) * 6, signal);
      }
    }
  };

  const sweep = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        const dropped = await dropExpired(db);
        if (dropped.length > 0) engineLog.info({ dropped }, "dropped replaced read models");
      } catch (failure) {
        engineLog.warn({ err: failure }, "replaced read models could not be dropped yet");
      }
      await pause(sweepMs, signal);
    }
  };

  const runGroups = async ({ epoch, signal }: Leadership): Promise<void> => {
    const ended = new AbortController();
    const over = AbortSignal.any([signal, ended.signal]);
    const running: Promise<void>[] = [];
    try {
      for (const group of groups) {
        const ours = projections.filter((projection) => projection.group === group);
        const { checkpoint, toBuild } = await startGroup(db, log, logId, group, ours, epoch, graceMs);
        if (toBuild.length === 0) positionWaiters.announce(group, checkpoint.place);
        running.push(runGroup(group, checkpoint, epoch, over), buildMissing(group, toBuild, over));
      }
      engineLog.info({ groups, epoch: String(epoch) }, "running the projections");
      running.push(sweep(over));
      await Promise.race([Promise.all(running), whenAborted(over)]);
    } finally {
      ended.abort();
      positionWaiters.forget();
      // A batch that hangs on a dead connection is not waited for: should it ever come back, its epoch is over.
      const allEnded = new AbortController();
      const batchesEnded = Promise.allSettled(running).finally(() => allEnded.abort());
      await Promise.race([batchesEnded, pause(releaseTimeoutMs, allEnded.signal)]);
      buffers.clear();
      runners.clear();
    }
  };

  return {
    start: async () => {
      await createEngineTables(db);
      logId = await readLogId(log);
      for (const checkpoint of await readCheckpoints(db)) await checkIdentity(log, logId, checkpoint);
      await tail.start();
      holding = runAsLeader(db, projectorRole, stopping.signal, engineLog, runGroups);
    },
    stop: async () => {
      stopping.abort();
      await holding;
      await tail.stop();
    },
    waitForPosition: createWaitForPosition(positionWaiters, pollForPosition(db, projections)),
    onCommit: (listener) => {
      commitListeners.add(listener);
      return () => commitListeners.delete(listener);
    },
    status: createStatus(db, log, groups, {
      isRunning: () => runners.size > 0,
      waitingSince: (group) => buffers.get(group)?.waitingSince() ?? null,
      failing: (group) => runners.get(group)?.failing() ?? failingBuilds.get(group) ?? null,
    }),
  };
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
