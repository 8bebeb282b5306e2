import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { GroupName, Projection } from "../../projection.ts";
import { pause, succeedsWithin, whenAborted } from "../../waiting.ts";
import { type Checkpoint, canServeReads, readCheckpoints } from "../checkpoints/checkpoint.ts";
import { createLogClock } from "../checkpoints/log-clock.ts";
import { checkIdentity, requireLogId } from "../checkpoints/log-identity.ts";
import { createPositionWaiters, readablePositions, type WaitForPosition } from "../checkpoints/wait-for-position.ts";
import { createEngineTables } from "../engine-tables.ts";
import { buildMissing } from "../generations/build-missing.ts";
import { defaultGraceMs, dropExpired } from "../generations/generations.ts";
import { type Leadership, runAsLeader } from "../leader/leader-election.ts";
import { whileLogResponds } from "../leader/while-log-responds.ts";
import type { EngineLogger, LogReader } from "./log-reader.ts";
import { createLogTail, type LogTail, type TailListener } from "./log-tail.ts";
import { openPendingEvents, type PendingEvents } from "./pending-events.ts";
import { type AroundBatch, createGroupRunner, type GroupRunner, startGroup } from "./run-group.ts";
import { createStatus, type ProjectorStatus, projectorRole } from "./status.ts";

export interface ProjectorOptions {
  /** A pool; at most three of its connections are held, and one more for each generation being built. */
  readonly db: Knex;
  readonly log: LogReader;
  readonly projections: readonly Projection[];
  /** Called with every event from the start of this process on, whichever process runs the projections. */
  readonly listeners?: readonly TailListener[];
  readonly logger: EngineLogger;
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
  /** Waits until the listeners have been called with everything up to a position (a commit); false after `timeoutMs`. */
  readonly waitForListeners: LogTail["waitForPosition"];
  /** Calls `listener` after every commit of this process; returns a function that removes it. */
  onCommit(listener: CommitListener): () => void;
  /** Whether this process is the leader that runs them. */
  isRunning(): boolean;
  status(): Promise<ProjectorStatus>;
}

/** Called after each commit of a group with the events that were applied. */
export type CommitListener = (group: GroupName, batch: readonly RecordedEvent[]) => void;

/** The group that reports read: it records the log's time, and none of its events is urgent. */
const factsGroup: GroupName = "facts";
const defaultMaxBatch = 1_000;
const maxPendingBatches = 8;
const tidyEveryMs = 15_000;
const releaseTimeoutMs = 15_000;

/**
 * Creates the projector of a process; nothing runs before `start`. Of the processes of a deployment that run
 * projections, one is the leader, and the others are on standby.
 */
export function createProjector(options: ProjectorOptions): Projector {
  const { db, log, projections, logger, maxBatch = defaultMaxBatch } = options;
  const { aroundBatch = (_group, _batch, transaction) => transaction() } = options;
  const groups = [...new Set(projections.map(({ group }) => group))];
  const projectionsOf = (group: GroupName) => projections.filter((projection) => projection.group === group);
  const positionWaiters = createPositionWaiters(
    () => readablePositions(db, projections),
    (group) => pending.get(group)?.recheck(),
  );
  const commitListeners = new Set<CommitListener>();
  const tail = createLogTail(log, logger, options.listeners);
  const stopping = new AbortController();
  const pending = new Map<GroupName, PendingEvents>();
  const runners = new Map<GroupName, GroupRunner>();
  const failingBuilds = new Map<GroupName, string | null>();
  let leading: Promise<void> = Promise.resolve();
  let logId = "";

  const notifyCommitted: CommitListener = (group, batch) => {
    for (const listener of commitListeners) {
      try {
        listener(group, batch);
      } catch (failure) {
        logger.error({ err: failure, group }, "a listener of the projections has failed");
      }
    }
  };

  const runGroup = (group: GroupName, checkpoint: Checkpoint, epoch: bigint, signal: AbortSignal): Promise<void> => {
    const ours = projectionsOf(group);
    const urgent = group === factsGroup ? new Set<string>() : urgentTypes(ours);
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
    const runner = createGroupRunner({
      ...{ db, pending: events, start: checkpoint.position, signal, logger, aroundBatch },
      writer: { group, projections: ours, epoch, clock },
      onBatch: (batch, readable) => {
        // The last commit of a former leader may be reported late: another process runs the group by then.
        if (readable !== undefined && !signal.aborted) positionWaiters.announce(group, readable);
        notifyCommitted(group, batch);
      },
    });
    pending.set(group, events);
    runners.set(group, runner);
    return runner.run().finally(unlisten);
  };

  const runGroups = async ({ epoch, signal }: Leadership): Promise<void> => {
    const stopped = new AbortController();
    const over = AbortSignal.any([signal, stopped.signal]);
    const running: Promise<void>[] = [];
    const run = (work: Promise<void>): void => {
      // It may reject while another group is being started; the failure is handled once all groups run.
      work.catch(() => undefined);
      running.push(work);
    };
    try {
      for (const group of groups) {
        over.throwIfAborted();
        const starting = { db, log, logId, group, projections: projectionsOf(group), epoch, graceMs: defaultGraceMs };
        const { checkpoint, toBuild } = await startGroup(starting);
        if (toBuild.length === 0 && canServeReads(checkpoint)) positionWaiters.announce(group, checkpoint.position);
        const onFailing = (reason: string | null) => failingBuilds.set(group, reason);
        run(runGroup(group, checkpoint, epoch, over));
        run(buildMissing(options, group, toBuild, onFailing, over));
      }
      logger.info({ groups, epoch: String(epoch) }, "running the projections");
      run(tidyRepeatedly(options, over));
      await Promise.race([Promise.all(running), whenAborted(over)]);
    } finally {
      stopped.abort();
      positionWaiters.forget();
      // A batch can hang on a dead connection. If it is sent later after all, its epoch fences it.
      await succeedsWithin(releaseTimeoutMs, Promise.allSettled(running));
      pending.clear();
      runners.clear();
      failingBuilds.clear();
    }
  };

  const isRunning = (): boolean => runners.size > 0;
  return {
    start: async () => {
      await createEngineTables(db);
      logId = await requireLogId(log);
      for (const checkpoint of await readCheckpoints(db)) await checkIdentity(log, logId, checkpoint);
      await tail.start();
      if (options.runsProjections === false) return;
      leading = runAsLeader(db, projectorRole, stopping.signal, logger, whileLogResponds(log, runGroups));
    },
    stop: async () => {
      stopping.abort();
      await leading;
      positionWaiters.close();
      await tail.stop();
    },
    waitForPosition: positionWaiters.wait,
    waitForListeners: tail.waitForPosition,
    onCommit: (listener) => {
      commitListeners.add(listener);
      return () => commitListeners.delete(listener);
    },
    isRunning,
    status: createStatus(db, log, projections, {
      isRunning,
      oldestPending: (group) => pending.get(group)?.oldest() ?? null,
      failing: (group) => runners.get(group)?.failing() ?? failingBuilds.get(group) ?? null,
    }),
  };
}

/** The types of events that a group applies without waiting for more. */
function urgentTypes(projections: readonly Projection[]): ReadonlySet<string> {
  return new Set(projections.flatMap(({ handles, canWait = [] }) => handles.filter((type) => !canWait.includes(type))));
}

/**
 * Updates what depends on replaced generations, and then drops those on which nothing does; also those of killed builds.
 */
async function tidyRepeatedly(options: ProjectorOptions, signal: AbortSignal): Promise<void> {
  const { db, logger } = options;
  const warn = (message: string) => (failure: unknown) => logger.warn({ err: failure }, message);
  while (!signal.aborted) {
    await options.followLive?.().catch(warn("what reads replaced read models could not all be moved yet"));
    const dropped = await dropExpired(db).catch(warn("replaced read models could not be dropped yet"));
    if (dropped && dropped.length > 0) {
      logger.info({ dropped }, "dropped read models that were replaced or never finished");
    }
    await pause(tidyEveryMs, signal);
  }
}
