import type { Knex } from "knex";
import { backoffMs } from "../../../domain/backoff.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { GroupName, Projection } from "../../projection.ts";
import { pause, succeedsWithin, whenAborted } from "../../waiting.ts";
import { type Checkpoint, readCheckpoints } from "../checkpoints/checkpoint.ts";
import { createLogClock } from "../checkpoints/log-clock.ts";
import { checkIdentity, readLogId } from "../checkpoints/log-identity.ts";
import {
  createPositionWaiters,
  createWaitForPosition,
  pollForPosition,
  type WaitForPosition,
} from "../checkpoints/wait-for-position.ts";
import { createEngineTables } from "../engine-tables.ts";
import { dropExpired } from "../generations/generations.ts";
import { rebuild } from "../generations/rebuild.ts";
import { type Leadership, runAsLeader } from "../leader/leader-election.ts";
import { reasonOf } from "../parking/find-poison.ts";
import type { AroundBatch } from "./apply-batch.ts";
import type { EngineLog, LogReader } from "./log-reader.ts";
import { createLogTail, type TailListener } from "./log-tail.ts";
import { openPendingEvents, type PendingEvents } from "./pending-events.ts";
import { createGroupRunner, type GroupRunner, startGroup } from "./run-group.ts";
import { createStatus, type ProjectorStatus, projectorRole } from "./status.ts";

export interface ProjectorOptions {
  /** A pool; at most three of its connections are held, and one more for each generation being built. */
  readonly db: Knex;
  readonly log: LogReader;
  readonly projections: readonly Projection[];
  /** Called with every event from the start of this process on, whichever process runs the projections. */
  readonly listeners?: readonly TailListener[];
  readonly engineLog: EngineLog;
  /** False: this process only follows the log for its listeners and never runs the projections (default true). */
  readonly runsProjections?: boolean;
  /** Maximum number of events of one transaction. */
  readonly maxBatch?: number;
  /** Runs the transaction of each batch (default: calls it). */
  readonly aroundBatch?: AroundBatch;
  /** Updates what depends on the live generations, such as views. The leader calls it at its start and every 15 s. */
  followLive?(): Promise<void>;
}

/** Runs the projections, in one process of a deployment at a time. */
export interface Projector {
  /**
   * Resolves once the log is followed. A process that runs projections waits to become the leader.
   * @throws {WrongLog} when the read models were built from another log
   */
  start(): Promise<void>;
  /** Waits for the batches in flight. */
  stop(): Promise<void>;
  readonly waitForPosition: WaitForPosition;
  /** Calls `listener` after every commit of this process; returns a function that removes it. */
  onCommit(listener: CommitListener): () => void;
  status(): Promise<ProjectorStatus>;
}

/** Called after each commit of a group with the events that were applied. */
export type CommitListener = (group: GroupName, batch: readonly RecordedEvent[]) => void;

/** The group that reports read: it records the log's time, and none of its events is urgent. */
const factsGroup: GroupName = "facts";
/** How long a replaced generation is kept: longer than any reader's statement time-out. */
export const defaultGraceMs = 5 * 60_000;
const defaultMaxBatch = 1_000;
const maxPendingBatches = 8;
const tidyEveryMs = 15_000;
const releaseTimeoutMs = 15_000;

export function createProjector(options: ProjectorOptions): Projector {
  const { db, log, projections, engineLog } = options;
  const maxBatch = options.maxBatch ?? defaultMaxBatch;
  const groups = [...new Set(projections.map(({ group }) => group))];
  const positionWaiters = createPositionWaiters((group) => pending.get(group)?.recheck());
  const commitListeners = new Set<CommitListener>();
  const tail = createLogTail(log, engineLog, options.listeners);
  const stopping = new AbortController();
  const pending = new Map<GroupName, PendingEvents>();
  const runners = new Map<GroupName, GroupRunner>();
  const failingBuilds = new Map<string, string>();
  let leading: Promise<void> = Promise.resolve();
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
    const urgent = new Set(
      group === factsGroup
        ? []
        : ours.flatMap(({ handles, canWait = [] }) => handles.filter((type) => !canWait.includes(type))),
    );
    const events = openPendingEvents(log, {
      maxBatch,
      capacity: maxBatch * maxPendingBatches,
      isUrgent: ({ type }) => urgent.has(type),
      isAwaited: () => positionWaiters.isAwaited(group),
      // The groups share a processor, and callers wait for what they have just created in the other group.
      isYielding: () => group === factsGroup && groups.some((one) => one !== group && positionWaiters.isAwaited(one)),
    });
    const unlisten = tail.listen(events.add);
    signal.addEventListener("abort", events.close, { once: true });
    const clock = group === factsGroup ? createLogClock() : null;
    const { aroundBatch } = options;
    const writer = { group, projections: ours, epoch, clock, ...(aroundBatch === undefined ? {} : { aroundBatch }) };
    const runner = createGroupRunner(db, writer, events, checkpoint.place, signal, engineLog, (batch, readable) => {
      if (readable !== undefined) positionWaiters.announce(group, readable);
      notifyCommitted(group, batch);
    });
    pending.set(group, events);
    runners.set(group, runner);
    return runner.run().finally(unlisten);
  };

  /** Builds the projections that have no generation of their version; until a retry succeeds the status is failing. */
  const buildMissing = async (group: GroupName, missing: readonly Projection[], signal: AbortSignal): Promise<void> => {
    const names = missing.map(({ name }) => name);
    for (let attempt = 1; missing.length > 0 && !signal.aborted; attempt += 1) {
      try {
        engineLog.info({ group, projections: names }, "building read models in a new version");
        await rebuild(db, log, group, missing, { graceMs: defaultGraceMs, signal });
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
        await pause(backoffMs(attempt, 600, 30_000), signal);
      }
    }
  };

  /** Updates what depends on replaced generations, and only then drops them; also those of killed builds. */
  const tidyRepeatedly = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        await options.followLive?.();
        const dropped = await dropExpired(db);
        if (dropped.length > 0) engineLog.info({ dropped }, "dropped read models that were replaced or never finished");
      } catch (failure) {
        engineLog.warn(
          { err: failure },
          "what reads replaced read models could not be moved yet, or they could not be dropped",
        );
      }
      await pause(tidyEveryMs, signal);
    }
  };

  const runGroups = async ({ epoch, signal }: Leadership): Promise<void> => {
    const stopped = new AbortController();
    const over = AbortSignal.any([signal, stopped.signal]);
    const running: Promise<void>[] = [];
    try {
      for (const group of groups) {
        const ours = projections.filter((projection) => projection.group === group);
        const { checkpoint, toBuild } = await startGroup(db, log, logId, group, ours, epoch, defaultGraceMs);
        if (toBuild.length === 0) positionWaiters.announce(group, checkpoint.place);
        running.push(runGroup(group, checkpoint, epoch, over), buildMissing(group, toBuild, over));
      }
      engineLog.info({ groups, epoch: String(epoch) }, "running the projections");
      running.push(tidyRepeatedly(over));
      await Promise.race([Promise.all(running), whenAborted(over)]);
    } finally {
      stopped.abort();
      positionWaiters.forget();
      // A batch can hang on a dead connection. If it is sent later after all, its epoch fences it.
      await succeedsWithin(releaseTimeoutMs, Promise.allSettled(running));
      pending.clear();
      runners.clear();
    }
  };

  return {
    start: async () => {
      await createEngineTables(db);
      logId = await readLogId(log);
      for (const checkpoint of await readCheckpoints(db)) await checkIdentity(log, logId, checkpoint);
      await tail.start();
      if (options.runsProjections === false) return;
      leading = runAsLeader(db, projectorRole, stopping.signal, engineLog, runGroups);
    },
    stop: async () => {
      stopping.abort();
      await leading;
      await tail.stop();
    },
    waitForPosition: createWaitForPosition(positionWaiters, pollForPosition(db, projections)),
    onCommit: (listener) => {
      commitListeners.add(listener);
      return () => commitListeners.delete(listener);
    },
    status: createStatus(db, log, groups, {
      isRunning: () => runners.size > 0,
      oldestPending: (group) => pending.get(group)?.oldest() ?? null,
      failing: (group) => runners.get(group)?.failing() ?? failingBuilds.get(group) ?? null,
    }),
  };
}
