import { type PositionOrStart, positionText } from "../checkpoints/positions.ts";
import type { LogReader, SubscribeOptions } from "./log-reader.ts";

/** How long the event store may keep failing, or a group's checkpoint stay unchanged before the log's head. */
export const defaultStalledMs = 15_000;

/** The event store keeps failing; the message has its reason. */
export class LogStalled extends Error {
  override readonly name = "LogStalled";
  constructor(position: PositionOrStart, { message }: Error) {
    const after = position === null ? "at all" : `after position ${positionText(position)}`;
    super(
      `The event store keeps failing, and no event came ${after} ` +
        `(${message.replace(/\s+/g, " ")}). \`touchledger verify --log\` checks the log of an embedded event store.`,
    );
  }
}

/** Decides when a command stops waiting for the log, whose subscriptions retry without end. */
export interface StallWatch<Log> {
  /** The log to read. */
  readonly log: Log;
  /** An event came, or waiting begins: failures so far do not count. */
  restart(): void;
  /**
   * `position` is that of the last event.
   * @throws {LogStalled} when the subscriptions have kept failing for `stalledMs`; a restart, or as long without a
   * failure, begins the time again
   */
  check(position: PositionOrStart): void;
}

/** Silence alone does not count: a shared event store may have hours of events of others to skip. */
export function watchForStall<Log extends Pick<LogReader, "subscribe">>(log: Log, stalledMs: number): StallWatch<Log> {
  let failingSince: number | null = null;
  let lastFailure: { readonly error: Error; readonly at: number } | null = null;
  const onTrouble = (error: Error): void => {
    const at = performance.now();
    const isAnother = lastFailure !== null && at - lastFailure.at >= stalledMs;
    if (failingSince === null || isAnother) failingSince = at;
    lastFailure = { error, at };
  };
  return {
    log: { ...log, subscribe: (options: SubscribeOptions) => log.subscribe({ ...options, onTrouble }) },
    restart: () => {
      failingSince = null;
    },
    check: (position) => {
      if (failingSince === null || lastFailure === null || lastFailure.at - failingSince < stalledMs) return;
      throw new LogStalled(position, lastFailure.error);
    },
  };
}
