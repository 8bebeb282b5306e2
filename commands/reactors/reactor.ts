import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { RetryPolicy } from "./retry-policy.ts";

/** The read models that a to-do list stands in. */
export type ListGroup = "control" | "facts";

/** What an attempt may use of its surroundings. */
export interface Attempt {
  /** Aborts when the process stops, the role is lost, or the work is canceled. */
  readonly signal: AbortSignal;
  /** Higher than that of every earlier holder of the role: what fences their late writes. */
  readonly epoch: bigint;
}

/** Why work ends without having been done: the facts did not come to its position, or attempts kept failing. */
export type GiveUpReason = "facts_behind" | "internal_error";

/**
 * A reactor: works off a to-do list and records each outcome in the log, which takes the work off the list. It must
 * keep nothing that matters in memory, and record an outcome under an id derived from the work, so that it can be
 * killed anywhere: the next one finds the same list and records the same.
 */
export interface Reactor<Work extends { readonly appId: number }, Outcome> {
  /** In metrics and logs. */
  readonly name: string;
  /** What one process of a deployment holds at a time. Reactors of the same role run in the same process. */
  readonly role: string;
  readonly list: ListGroup;
  /** Whether an event may add to the list: its commit wakes the reactor. */
  adds(event: RecordedEvent): boolean;
  /** Reads the to-do list: at most `max`, in the order of their turns. */
  open(max: number): Promise<readonly Work[]>;
  /** Tells work from all other work on the list. */
  keyOf(work: Work): string;
  /** Those that can be done now (default: all). */
  runnable?(work: readonly Work[]): Promise<ReadonlySet<Work>>;
  /** Does the work; may be repeated. Null: not done, and nothing to record. */
  act(work: Work, attempt: Attempt): Promise<Outcome | null>;
  /** Records what came of it, once, however often it is called. False: not recorded; the list is read again. */
  record(work: Work, outcome: Outcome, attempt: Attempt): Promise<boolean>;
  /** What is recorded of work that is given up; null: it is not given up. */
  giveUp?(work: Work, reason: GiveUpReason): Outcome | null;
  /** The keys among those of running work that are canceled. */
  canceledAmong?(keys: readonly string[]): Promise<readonly string[]>;
  /** Work with the same lane is done one after the other, in the order of the list. */
  laneOf?(work: Work): string;
  /** Since when work has been open, for the lag (default: since the list was first seen not empty). */
  since?(work: Work): Date;
  /** A cron expression: when the list is read besides. */
  readonly schedule?: string;
  readonly retry: RetryPolicy;
  readonly limits: ReactorLimits;
}

export interface ReactorLimits {
  /** The most work that is under way at a time. */
  readonly concurrent: number;
  /** The most that is read of the list at a time. */
  readonly open: number;
  /** How often the list is read without a wake, as when another process projects (default 500). */
  readonly pollMs?: number;
  /** How long work may wait to become runnable before it is given up (default: for ever). */
  readonly waitMs?: number;
  /** How long work may go on after a stop before its signal aborts (default 0). */
  readonly finishMs?: number;
  /** How long it rests after each piece of work, in multiples of the time that this took (default 0). */
  readonly rest?: number;
}
