import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type AttributionReactorDeps,
  createAttributionReactor,
} from "../../../commands/attribution/attribution-reactor.ts";
import type { DueRevision } from "../../../commands/attribution/revise.ts";
import type { Candidates } from "../../../domain/attribution/candidate.ts";
import { decideAttribution } from "../../../domain/attribution/decide-attribution.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import type { AttributionDecided } from "../../../domain/attribution/events.ts";
import { reviseAttribution } from "../../../domain/attribution/revise-attribution.ts";
import type { TargetEvent } from "../../../domain/attribution/target-event.ts";
import { attributionStream } from "../../../domain/streams.ts";
import { EventLogUnavailable, type EventToAppend } from "../../../infra/event-log/event-log.ts";
import { aCandidate, install } from "../../domain/attribution/examples.ts";
import { exampleUuid, recordedAt } from "../../examples/recorded-log.ts";
import { springSale } from "../../examples/touchpoints.ts";

const hour = 60 * 60 * 1000;

/** The log and the facts as the reactor sees them; whoever changes them rings. */
function world() {
  const streams = new Map<string, readonly EventToAppend[]>();
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  const waiters: { readonly condition: () => boolean; readonly resolve: () => void }[] = [];
  const look = (): void => {
    for (const { condition, resolve } of waiters) if (condition()) resolve();
  };
  const state = {
    streams,
    open: [] as TargetEvent[],
    due: [] as DueRevision<TargetEvent>[],
    candidates: { listed: [], unlisted: 0 } as Candidates,
    rules: defaultRules,
    failures: [] as unknown[],
    setsAsked: [] as number[],
    appends: 0,
    looks: 0,
    atOnce: 0,
    mostAtOnce: 0,
    now: new Date("2026-03-31T12:00:00.000Z"),
    beforeAppend: async (): Promise<void> => undefined,
    factsHavePassed: async (): Promise<boolean> => true,
    ring: () => {
      for (const listener of listeners) listener();
    },
    until: (condition: () => boolean) =>
      condition() ? Promise.resolve() : new Promise<void>((resolve) => waiters.push({ condition, resolve })),
  };
  const deps: AttributionReactorDeps<TargetEvent> = {
    runId: "run-1",
    log: {
      read: async function* (stream) {
        for (const [revision, event] of (streams.get(stream) ?? []).entries()) {
          yield { ...recordedAt(1n, event as AttributionDecided), revision: BigInt(revision) } as never;
        }
      },
      headPosition: async () => ({ commit: 7n, prepare: 7n }),
      append: async (stream, expected, events) => {
        state.atOnce += 1;
        state.mostAtOnce = Math.max(state.mostAtOnce, state.atOnce);
        try {
          await state.beforeAppend();
          state.appends += 1;
          const known = streams.get(stream);
          if (known !== undefined && expected === BigInt(known.length - 1)) {
            streams.set(stream, [...known, ...events]);
            return { outcome: "appended", revision: expected + 1n, position: { commit: 2n, prepare: 2n } };
          }
          assert.is(expected, "no_stream");
          if (known !== undefined && known[0]?.id !== events[0]?.id)
            return { outcome: "wrong_expected_revision", actual: 0n };
          streams.set(stream, events);
          return { outcome: "appended", revision: 0n, position: { commit: 1n, prepare: 1n } };
        } finally {
          state.atOnce -= 1;
          look();
        }
      },
    },
    factsHavePassed: () => state.factsHavePassed(),
    onProgress: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    openTargets: async (after, most) => {
      const found = state.open.filter(({ position }) => position > after).slice(0, most);
      if (found.length > 0) state.setsAsked.push(found.length);
      return found;
    },
    rulesOf: async (targets) => targets.map(() => state.rules),
    openRevisions: async (most) => {
      state.looks += 1;
      look();
      return state.due.slice(0, most);
    },
    candidatesOf: async (targets) => targets.map(() => state.candidates),
    failed: (failure) => {
      state.failures.push(failure);
      look();
    },
    now: () => state.now,
  };
  const reactor = createAttributionReactor(deps);
  const running = reactor.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  return { ...state, state, reactor, stop };
}

const targets = (count: number): readonly TargetEvent[] =>
  Array.from({ length: count }, (_, index) => {
    return { ...install, eventId: exampleUuid("install", index), position: BigInt(index + 1) };
  });

const reactor = suite("the attribution reactor");

reactor("appends the decision to the target event's own stream, in its own name", async () => {
  const { state, until, stop, streams } = world();
  state.candidates = { listed: [aCandidate(1, hour)], unlisted: 0 };
  state.open = [install];
  await until(() => streams.size === 1);
  await stop();
  const [event, ...others] = streams.get(attributionStream(1, install.eventId)) ?? [];
  assert.equal(others, []);
  assert.is(event?.type, "AttributionDecided");
  assert.equal(event?.data, decideAttribution(install, state.candidates, defaultRules).data);
  assert.equal(event?.metadata, {
    actor: { kind: "reactor", name: "attribution" },
    requestId: "run-1",
    correlationId: install.eventId,
    causationId: install.eventId,
    schemaVersion: 1,
    occurredAt: "2026-03-31T12:00:00.000Z",
  });
});

reactor("decides with the rules in force at each target event", async () => {
  const { state, until, stop, streams } = world();
  state.candidates = { listed: [aCandidate(1, 3 * hour)], unlisted: 0 };
  const windows = { ...defaultRules.click, device: 2 * 60 * 60 };
  state.rules = { ...defaultRules, channels: { [springSale.channel]: { ...defaultRules, click: windows } } };
  state.open = [install];
  await until(() => streams.size === 1);
  await stop();
  const [event] = streams.get(attributionStream(1, install.eventId)) ?? [];
  const { data } = decideAttribution(install, state.candidates, state.rules);
  assert.equal([event?.data, data.winner], [data, null]);
});

reactor("works off sets of 200, oldest first, appending 64 at a time", async () => {
  const { state, until, stop, streams } = world();
  state.beforeAppend = () => new Promise((resolve) => setImmediate(resolve));
  state.open = [...targets(450)];
  await until(() => streams.size === 450);
  await stop();
  assert.equal([state.setsAsked, state.mostAtOnce], [[200, 200, 50], 64]);
});

reactor("does not decide again what the projection has not taken in yet", async () => {
  const { state, ring, until, stop, streams } = world();
  state.open = [...targets(3)];
  await until(() => streams.size === 3);
  state.open = [...targets(5)];
  ring();
  await until(() => streams.size === 5);
  await stop();
  assert.equal([state.appends, state.setsAsked], [5, [3, 2]]);
});

reactor("looks at the whole list again after a minute, and repeats appends safely", async () => {
  const { state, ring, until, stop, streams } = world();
  state.open = [...targets(2)];
  await until(() => streams.size === 2);
  const before = streams.get(attributionStream(1, exampleUuid("install", 0)));
  state.now = new Date(state.now.getTime() + 61_000);
  ring();
  await until(() => state.appends === 4);
  await stop();
  assert.equal(streams.get(attributionStream(1, exampleUuid("install", 0)))?.[0]?.id, before?.[0]?.id);
});

reactor("leaves a decision alone that is there already", async () => {
  const { state, until, stop, streams } = world();
  const other = { id: "other", type: "AttributionDecided", data: {}, metadata: {} as EventToAppend["metadata"] };
  streams.set(attributionStream(1, exampleUuid("install", 0)), [other]);
  state.open = [...targets(2)];
  await until(() => state.appends === 2);
  await stop();
  assert.equal(streams.get(attributionStream(1, exampleUuid("install", 0))), [other]);
  assert.equal(state.failures, []);
});

reactor("starts only when the facts have passed the head of the log", async () => {
  const { state, until, stop, streams } = world();
  let asked = 0;
  state.factsHavePassed = async () => {
    asked += 1;
    if (asked < 5) assert.is(streams.size, 0);
    return asked >= 5;
  };
  state.open = [...targets(1)];
  await until(() => streams.size === 1);
  await stop();
  assert.is(asked, 5);
});

reactor("waits and goes on when the log cannot be reached, and tells its lag", async () => {
  const { state, until, stop, streams, reactor: running } = world();
  let left = 3;
  state.beforeAppend = async () => {
    left -= 1;
    if (left >= 0) throw new EventLogUnavailable("no answer");
  };
  assert.is(running.lagMs(), 0);
  state.open = [...targets(1)];
  await until(() => state.failures.length === 1);
  state.now = new Date(state.now.getTime() + 1_500);
  assert.is(running.lagMs(), 1_500);
  await until(() => streams.size === 1);
  await stop();
  assert.equal(
    state.failures.map((failure) => (failure as Error).name),
    ["EventLogUnavailable", "EventLogUnavailable", "EventLogUnavailable"],
  );
});

reactor("revises a decision once for each late touchpoint, in the order in which they came", async () => {
  const { state, ring, until, stop, streams } = world();
  const stream = attributionStream(1, install.eventId);
  const [first, second] = [aCandidate(1, 3 * hour), aCandidate(2, 2 * hour, { position: install.position + 1n })];
  const third = aCandidate(3, hour, { position: install.position + 2n });
  state.candidates = { listed: [first], unlisted: 0 };
  state.open = [install];
  await until(() => streams.size === 1);
  state.due = [
    { target: install, late: second },
    { target: install, late: third },
  ];
  ring();
  await until(() => streams.get(stream)?.length === 3);
  state.due = [{ target: install, late: third }];
  ring();
  await until(() => state.looks > 3);
  await stop();
  const [decided, ...revisions] = streams.get(stream) ?? [];
  const { data } = decideAttribution(install, state.candidates, defaultRules);
  assert.equal(decided?.data, data);
  const revisedBy = reviseAttribution(install, state.candidates, defaultRules, second, data.winner);
  const again = reviseAttribution(install, state.candidates, defaultRules, third, revisedBy.data.winner);
  assert.equal(
    revisions.map(({ type, data, metadata }) => ({ type, data, causationId: metadata.causationId })),
    [
      { ...revisedBy, causationId: second.touchpointId },
      { ...again, causationId: third.touchpointId },
    ],
  );
  assert.equal(state.failures, []);
});

reactor("leaves a revision alone that is there already", async () => {
  const { state, until, stop, streams } = world();
  const stream = attributionStream(1, install.eventId);
  const late = aCandidate(2, hour);
  const recorded = (event: { readonly type: string; readonly data: unknown }) => {
    return { ...event, id: event.type, metadata: {} as EventToAppend["metadata"] };
  };
  const decided = decideAttribution(install, state.candidates, defaultRules);
  const before = [decided, reviseAttribution(install, state.candidates, defaultRules, late, null)].map(recorded);
  streams.set(stream, before);
  state.due = [{ target: install, late }];
  await until(() => state.looks > 1);
  await stop();
  assert.equal([streams.get(stream), state.appends, state.failures], [before, 0, []]);
});

reactor.run();
