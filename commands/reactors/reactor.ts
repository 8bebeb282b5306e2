import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { TraceContext } from "../../domain/values/trace-context.ts";
import type { ReadModelGroup } from "../../infra/http/routing/route.ts";
import type { FairWork } from "./fair-scheduler.ts";
import type { RetryPolicy } from "./retry-policy.ts";

/** This process holds a role. */
export interface Leadership {
  /** Aborts when the process stops or the role is lost. */
  readonly signal: AbortSignal;
  /** Higher than that of every earlier leader. */
  readonly epoch: bigint;
}

/** One try at a piece of work. */
export interface Attempt {
  /** Aborts when the process stops, the role is lost, or the work is canceled. */
  readonly signal: AbortSignal;
  /** That of the {@link Leadership}: fences late writes of earlier leaders. */
  readonly epoch: bigint;
}

/** What a runner measures times with. */
export interface Clocks {
  now(): Date;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
}

/** Why work was given up: the facts did not reach its position in time, or attempts kept failing. */
export type GiveUpReason = "facts_behind" | "internal_error";

/**
 * A reactor does the work on a to-do list and records each outcome in the log, which removes the work from the list. It
 * must not depend on state in memory, and must derive the id of an outcome from the work: if it is killed at any point,
 * its successor finds the same list and records the same outcome.
 */
export interface Reactor<Work extends FairWork, Outcome> {
  /** For metrics and logs. */
  readonly name: string;
  /** Held by one process of a deployment at a time. Reactors with the same role run in the same process. */
  readonly role: string;
  /** The group of read models with the to-do list. */
  readonly list: ReadModelGroup;
  /** Whether an event may add to the list: its commit wakes the reactor. */
  adds(event: RecordedEvent): boolean;
  /** Reads at most `max` items of the to-do list, in order. */
  open(max: number): Promise<readonly Work[]>;
  /** Identifies work on the list. */
  keyOf(work: Work): string;
  /** The work that can be done now (default: all). */
  runnable?(work: readonly Work[]): Promise<ReadonlySet<Work>>;
  /** Does the work, perhaps repeatedly. Returns the outcome to record; null: none. */
  act(work: Work, attempt: Attempt): Promise<Outcome | null>;
  /**
   * Records the outcome, idempotently. Returns true if the work must be ignored for a minute, while a lagging list may
   * still show it; false if the next read of the list decides.
   */
  record(work: Work, outcome: Outcome, attempt: Attempt): Promise<boolean>;
  /** The outcome to record when work is given up; null: it is not given up. */
  giveUp?(work: Work, reason: GiveUpReason): Outcome | null;
  /** Which of the keys of running work are canceled. */
  canceledAmong?(keys: readonly string[]): Promise<readonly string[]>;
  /** The traces that work follows from (default: none). */
  tracesOf?(work: Work): Iterable<TraceContext | undefined>;
  /** Work of one lane is done sequentially, in the order of the list; it waits while earlier work is to be retried. */
  laneOf?(work: Work): string;
  /** Start of the lag of work (default: when the list was first read as not empty). */
  since?(work: Work): Date;
  /** A cron expression for additional reads of the list. */
  readonly schedule?: string;
  readonly retry: RetryPolicy;
  readonly limits: ReactorLimits;
}

/** How much work a reactor takes on, and how often it reads its to-do list; times in milliseconds. */
export interface ReactorLimits {
  /** Maximum work in progress. */
  readonly maxConcurrent: number;
  /** Maximum work that starts after one read of the list (default: {@link maxConcurrent}). */
  readonly maxStarts?: number;
  /** Maximum items that are read of the list at a time, besides those that wait for their retry. */
  readonly maxOpen: number;
  /** Interval of reads without a wake (default 2,000, and 500 when another process runs the projections). */
  readonly pollMs?: number;
  /** Minimum time between reads; what is added to the list meanwhile is read together (default 0). */
  readonly pauseMs?: number;
  /** How long work may wait to become runnable before it is given up (default: no limit). */
  readonly waitMs?: number;
  /** Time after a stop before the signal of running work aborts (default 0). */
  readonly finishMs?: number;
  /** Pause after each piece of work, as a multiple of its duration (default 0). */
  readonly restFactor?: number;
}

/** The lane of work; work of a reactor without lanes is a lane of its own. */
export function laneOf<Work extends FairWork>(
  reactor: Pick<Reactor<Work, never>, "keyOf" | "laneOf">,
  work: Work,
): string {
  return reactor.laneOf?.(work) ?? reactor.keyOf(work);
}

/** The app and the token that work takes a turn of. */
export function ownerOf({ appId, requestedBy = null }: FairWork): FairWork {
  return { appId, requestedBy };
}
