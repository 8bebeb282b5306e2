import { setImmediate } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  attributionReactor,
  attributionRetry,
  type OpenTargetEvent,
} from "../../../commands/attribution/attribution-reactor.ts";
import {
  type DueRevision,
  type RevisionReactorDeps,
  revisionReactor,
} from "../../../commands/attribution/revision-reactor.ts";
import type { Candidates } from "../../../domain/attribution/candidates.ts";
import { decideAttribution } from "../../../domain/attribution/decide-attribution.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import type { AttributionDecided } from "../../../domain/attribution/events.ts";
import { reviseAttribution } from "../../../domain/attribution/revisions.ts";
import type { TargetEvent } from "../../../domain/attribution/target-event.ts";
import { attributionStream } from "../../../domain/streams.ts";
import { AppendTooLarge, type EventToAppend } from "../../../infra/event-log/event-log.ts";
import { aCandidate, install } from "../../domain/attribution/examples.ts";
import { exampleUuid, recordedAt } from "../../examples/recorded-log.ts";
import { springSale } from "../../examples/touchpoints.ts";
import { awakeReactor, testRuntime } from "../reactors/test-runtime.ts";

const hour = 60 * 60 * 1000;

const noCandidates: Candidates = { listed: [], unlisted: 0 };

/** The candidates at or below a position, as the query finds them. */
function upTo(position: bigint, { listed, unlisted }: Candidates): Candidates {
  return { listed: listed.filter((candidate) => candidate.position <= position), unlisted };
}

/** The log and the facts as the reactors read them: the target events and their candidates. */
function world(open: readonly OpenTargetEvent[] = [], candidates = noCandidates) {
  const streams = new Map<string, readonly EventToAppend[]>();
  const state = {
    open,
    due: [] as readonly DueRevision<TargetEvent>[],
    candidates,
    rules: defaultRules,
    /** What the queries leave out for every target event. */
    leftOut: null as "candidates" | "rules" | null,
    batches: [] as number[],
    candidateBatches: [] as number[],
    appends: 0,
    /** Appends that were not refused. */
    held: 0,
    /** Appends before which another writer appends. */
    conflicts: 0,
    /** More in one append are too large. */
    maxEvents: 500,
    looks: 0,
    underWay: 0,
    maxUnderWay: 0,
    now: new Date("2026-03-31T12:00:00.000Z"),
  };
  const deps: RevisionReactorDeps<TargetEvent> = {
    runId: "run-1",
    log: {
      read: async function* (stream) {
        for (const [revision, event] of (streams.get(stream) ?? []).entries()) {
          const { metadata } = event;
          yield { ...recordedAt(1n, event as AttributionDecided), metadata, revision: BigInt(revision) } as never;
        }
      },
      append: async (stream, expected, events) => {
        state.underWay += 1;
        state.maxUnderWay = Math.max(state.maxUnderWay, state.underWay);
        await setImmediate();
        state.underWay -= 1;
        state.appends += 1;
        const known = streams.get(stream) ?? [];
        const revision = BigInt(known.length);
        const isConflict = state.conflicts > 0;
        if (isConflict) state.conflicts -= 1;
        if (isConflict || expected !== (revision === 0n ? "no_stream" : revision - 1n)) {
          return { outcome: "wrong_expected_revision", actual: revision - 1n };
        }
        if (events.length > state.maxEvents) throw new AppendTooLarge();
        state.held += 1;
        streams.set(stream, [...known, ...events]);
        const last = revision + BigInt(events.length) - 1n;
        return { outcome: "appended", revision: last, position: { commit: 1n, prepare: 1n } };
      },
    },
    openTargets: async (after, max) => {
      const found = state.open.filter(({ position }) => position > after).slice(0, max);
      if (found.length > 0) state.batches.push(found.length);
      return found;
    },
    rulesOf: async (targets) => (state.leftOut === "rules" ? [] : targets.map(() => state.rules)),
    openRevisions: async (max) => {
      state.looks += 1;
      return state.due.slice(0, max);
    },
    candidatesOf: async function* (targets) {
      state.candidateBatches.push(targets.length);
      if (state.leftOut !== "candidates") yield* targets.map(({ position }) => upTo(position, state.candidates));
    },
    now: () => state.now,
  };
  const { start, until, failures } = testRuntime(deps.now);
  const stop = start([awakeReactor(attributionReactor(deps)), awakeReactor(revisionReactor(deps))]);
  return { state, streams, until, stop, failures };
}

const targets = (count: number): readonly TargetEvent[] =>
  Array.from({ length: count }, (_, index) => {
    return { ...install, eventId: exampleUuid("install", index), position: BigInt(index + 1) };
  });

const reactor = suite("the attribution reactor");

reactor("appends the decision to the target event's own stream, in its own name", async () => {
  const { state, until, stop, streams } = world([install], { listed: [aCandidate(1, hour)], unlisted: 0 });
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
  const { state, until, stop, streams } = world([install], { listed: [aCandidate(1, 3 * hour)], unlisted: 0 });
  const windows = { ...defaultRules.click, device: 2 * 60 * 60 };
  state.rules = { ...defaultRules, channels: { [springSale.channel]: { ...defaultRules, click: windows } } };
  await until(() => streams.size === 1);
  await stop();
  const [event] = streams.get(attributionStream(1, install.eventId)) ?? [];
  const { data } = decideAttribution(install, state.candidates, state.rules);
  assert.equal([event?.data, data.winner], [data, null]);
});

reactor("decides up to 1,000 at a time, with the candidates of 200 in memory, appending 256 at a time", async () => {
  const { state, until, stop, streams } = world(targets(1_250));
  await until(() => streams.size === 1_250);
  await stop();
  assert.equal(
    [state.batches, state.candidateBatches, state.maxUnderWay],
    [[1_000, 250], [200, 200, 200, 200, 200, 200, 50], 256],
  );
});

reactor("does not decide again before the projection has applied a decision", async () => {
  const { state, until, stop, streams } = world(targets(3));
  await until(() => streams.size === 3);
  state.open = targets(5);
  await until(() => streams.size === 5);
  await stop();
  assert.equal([state.appends, state.batches], [5, [3, 2]]);
});

reactor(
  "looks at the whole list again after a minute, whichever way the clock goes, repeating appends safely",
  async () => {
    const { state, until, stop, streams } = world(targets(2));
    await until(() => streams.size === 2);
    const before = streams.get(attributionStream(1, exampleUuid("install", 0)));
    for (const [minutes, appends] of [
      [1, 4],
      [-60, 6],
    ] as const) {
      state.now = new Date(state.now.getTime() + minutes * 60_000);
      await until(() => state.appends === appends);
    }
    await stop();
    assert.equal(streams.get(attributionStream(1, exampleUuid("install", 0)))?.[0]?.id, before?.[0]?.id);
  },
);

reactor("does not change an existing decision", async () => {
  const { state, until, stop, streams, failures } = world();
  const other = { id: "other", type: "AttributionDecided", data: {}, metadata: {} as EventToAppend["metadata"] };
  streams.set(attributionStream(1, exampleUuid("install", 0)), [other]);
  state.open = targets(2);
  await until(() => state.appends === 2);
  await stop();
  assert.equal(streams.get(attributionStream(1, exampleUuid("install", 0))), [other]);
  assert.equal(failures, []);
});

reactor("revises a decision once for each late touchpoint, in the order in which they came", async () => {
  const stream = attributionStream(1, install.eventId);
  const [first, second] = [aCandidate(1, 3 * hour), aCandidate(2, 2 * hour, { position: install.position + 1n })];
  const third = aCandidate(3, hour, { position: install.position + 2n });
  const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
  const { state, until, stop, streams, failures } = world([{ ...install, trace }], { listed: [first], unlisted: 0 });
  await until(() => streams.size === 1);
  state.due = [
    { target: install, late: second },
    { target: install, late: third },
  ];
  await until(() => streams.get(stream)?.length === 3);
  state.due = [{ target: install, late: third }];
  await until(() => state.looks > 3);
  await stop();
  const events = streams.get(stream) ?? [];
  const decided = decideAttribution(install, state.candidates, defaultRules);
  const revised = reviseAttribution(install, state.candidates, defaultRules, second, decided.data.winner);
  const again = reviseAttribution(install, state.candidates, defaultRules, third, revised.data.winner);
  const metadata = {
    actor: { kind: "reactor", name: "attribution" },
    ...{ requestId: "run-1", correlationId: install.eventId, schemaVersion: 1 },
    occurredAt: "2026-03-31T12:00:00.000Z",
    ...trace,
  };
  assert.equal(
    events.map(({ id: _, ...event }) => event),
    [
      { ...decided, metadata: { ...metadata, causationId: install.eventId } },
      { ...revised, metadata: { ...metadata, causationId: second.touchpointId } },
      { ...again, metadata: { ...metadata, causationId: third.touchpointId } },
    ],
  );
  assert.is(new Set(events.map(({ id }) => id)).size, 3);
  assert.equal(failures, []);
});

reactor("revises a decision again after another writer has appended to its stream meanwhile", async () => {
  const { state, until, stop, streams } = world([install], { listed: [aCandidate(1, 2 * hour)], unlisted: 0 });
  const stream = attributionStream(1, install.eventId);
  await until(() => streams.size === 1);
  state.conflicts = 1;
  state.due = [{ target: install, late: aCandidate(2, hour, { position: install.position + 1n }) }];
  await until(() => streams.get(stream)?.length === 2);
  await stop();
  assert.equal([state.conflicts, state.appends], [0, 3]);
});

for (const [how, unlisted, maxEvents, candidateBatches, appends] of [
  ["with candidates that are read once, in one append", 0, 500, [1], 1],
  ["with candidates that are read again where some are not listed", 7, 500, [1, 4], 1],
  ["in more appends where one would be too large", 0, 1, [1], 4],
] as const) {
  reactor(`revises a decision for several late touchpoints ${how}`, async () => {
    const late = [1, 2, 3, 4].map((n) => aCandidate(n + 1, (5 - n) * hour, { position: install.position + BigInt(n) }));
    const { state, until, stop, streams } = world([install], { listed: [aCandidate(1, 5 * hour), ...late], unlisted });
    const stream = attributionStream(1, install.eventId);
    await until(() => streams.size === 1);
    Object.assign(state, { held: 0, candidateBatches: [], maxEvents });
    state.due = late.map((one) => ({ target: install, late: one }));
    await until(() => streams.get(stream)?.length === 5);
    await stop();
    const { data } = decideAttribution(install, upTo(install.position, state.candidates), defaultRules);
    let winner = data.winner;
    const expected = late.map((one) => {
      const candidates = upTo(one.position, state.candidates);
      const revision = reviseAttribution(install, candidates, defaultRules, one, winner);
      winner = revision.data.winner;
      return revision.data;
    });
    assert.equal(
      streams
        .get(stream)
        ?.slice(1)
        .map((event) => event.data),
      expected,
    );
    assert.equal([state.candidateBatches.filter((size) => size > 0), state.held], [candidateBatches, appends]);
  });
}

for (const leftOut of ["candidates", "rules"] as const) {
  reactor(`fails, and tries again, when no ${leftOut} were read for a target event`, async () => {
    const { state, until, stop, streams, failures } = world([install], { listed: [aCandidate(1, hour)], unlisted: 0 });
    const expected = `No ${leftOut} were read for event ${install.eventId} of app 1`;
    const answer = () => {
      state.leftOut = null;
      state.now = new Date(state.now.getTime() + attributionRetry.maxBackoffMs);
    };
    state.leftOut = leftOut;
    await until(() => failures.length > 0);
    assert.is(streams.size, 0);
    answer();
    await until(() => streams.size === 1);
    const decided = failures.splice(0);
    state.leftOut = leftOut;
    state.due = [{ target: install, late: aCandidate(2, hour / 2, { position: install.position + 1n }) }];
    await until(() => failures.length > 0);
    assert.is(streams.get(attributionStream(1, install.eventId))?.length, 1);
    answer();
    await until(() => streams.get(attributionStream(1, install.eventId))?.length === 2);
    await stop();
    for (const [failure] of [...decided, ...failures]) assert.is((failure as Error).message, expected);
  });
}

reactor("does not change an existing revision", async () => {
  const { state, until, stop, streams, failures } = world();
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
  assert.equal([streams.get(stream), state.appends, failures], [before, 0, []]);
});

reactor.run();
