import { setTimeout as delay } from "node:timers/promises";
import type { FairWork } from "../../../commands/reactors/fair-scheduler.ts";
import type { Reactor } from "../../../commands/reactors/reactor.ts";
import { type AnyReactor, anyReactor, type ReactorRuntime } from "../../../commands/reactors/runner.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";

/** What a reactor has failed with, and the key of the work, or null. */
export type ReactorFailure = readonly [failure: unknown, key: string | null];

const limitMs = 15_000;
const pollMs = 3;
const anyEvent = [{}] as unknown as readonly RecordedEvent[];

/** A runtime without roles and projections, whose reactors a test wakes. */
export function testRuntime(now: () => Date = () => new Date()) {
  const listeners = new Set<Parameters<ReactorRuntime["onCommit"]>[0]>();
  const failures: ReactorFailure[] = [];
  const lags = new Map<string, number>();
  const runtime: ReactorRuntime = {
    log: { headPosition: async () => null },
    runAsLeader: (_role, stop, work) => work({ epoch: 1n, signal: stop }),
    waitForPosition: async () => true,
    onCommit: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    runsProjections: () => false,
    onSchedule: () => () => {},
    failed: (failure, _reactor, key) => failures.push([failure, key]),
    lag: (reactor, seconds) => (seconds === null ? lags.delete(reactor) : lags.set(reactor, seconds)),
    now,
    elapsed: () => now().getTime(),
  };
  const wake = (): void => {
    for (const listener of [...listeners]) for (const group of ["control", "facts"]) listener(group, anyEvent);
  };
  const start = (reactors: readonly AnyReactor[], over: Partial<ReactorRuntime> = {}) => {
    const stopping = new AbortController();
    const held = { epoch: 1n, signal: stopping.signal };
    const running = Promise.all(reactors.map((reactor) => reactor.run({ ...runtime, ...over }, held)));
    return async (): Promise<void> => {
      stopping.abort();
      await running;
    };
  };
  /** Waits for `condition`, waking all reactors over and over. */
  const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
    const deadline = performance.now() + limitMs;
    while (!(await condition())) {
      if (performance.now() > deadline) throw new Error(`Not within ${limitMs} ms: ${failures}`);
      await delay(pollMs);
      wake();
    }
  };
  return {
    runtime,
    failures,
    lags,
    wake,
    /** Starts reactors; returns what stops them. */
    start,
    until,
    /** Lets reactors run until `condition` holds, then stops them. */
    runUntil: async (reactors: readonly AnyReactor[], condition: () => boolean | Promise<boolean>) => {
      const stop = start(reactors);
      try {
        await until(condition);
      } finally {
        await stop();
      }
    },
  };
}

/** A reactor that every event wakes. */
export function awakeReactor<Work extends FairWork, Outcome>(reactor: Reactor<Work, Outcome>): AnyReactor {
  return anyReactor({ ...reactor, adds: () => true });
}
