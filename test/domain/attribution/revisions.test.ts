import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Candidate } from "../../../domain/attribution/candidates.ts";
import { decideAttribution } from "../../../domain/attribution/decide-attribution.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import { maxRevisions, type Outcome, reviseAttribution, revisionsDue } from "../../../domain/attribution/revisions.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { springSale } from "../../examples/touchpoints.ts";
import { aCandidate, hour, install } from "./examples.ts";

const late = (number: number, msBefore: number, changes: Partial<Candidate> = {}): Candidate =>
  aCandidate(number, msBefore, { position: install.position + BigInt(number), ...changes });
const dueAfter = (winner: Candidate | null, ...touchpoints: readonly Candidate[]): readonly Candidate[] =>
  revisionsDue([{ from: install.position, winner }], touchpoints);

const due = suite("a revision is due");

const decided = aCandidate(1, 2 * hour);

due("because of a late touchpoint that ranks before the winner", () => {
  const newer = late(2, hour);
  const byClickId = late(3, 3 * hour, { matchedBy: "click_id" });
  assert.equal(dueAfter(decided, newer), [newer]);
  assert.equal(dueAfter(decided, byClickId), [byClickId]);
  assert.equal(dueAfter(null, newer), [newer]);
});

due("because of one at the winner's own time, as it is later in the log", () => {
  const same = late(2, 2 * hour);
  assert.equal(dueAfter(decided, same), [same]);
  assert.equal(dueAfter(decided, late(2, 2 * hour + 1)), []);
});

due("not because of one that ranks behind the winner", () => {
  assert.equal(dueAfter(decided, late(2, 3 * hour)), []);
  assert.equal(dueAfter(decided, late(2, hour, { kind: "impression" })), []);
  assert.equal(dueAfter(decided, late(2, hour, { matchedBy: "probabilistic" })), []);
});

due("for each late touchpoint in turn that beats the previous winner", () => {
  const [first, behind, second] = [late(2, hour), late(3, 90 * 60_000), late(4, 0)];
  assert.equal(dueAfter(decided, second, behind, first), [first, second]);
});

due("once, and compares with its recorded winner", () => {
  const [first, second] = [late(2, hour), late(3, 90 * 60_000)];
  const outcomes = (winner: Candidate): readonly Outcome[] => [
    { from: first.position, winner },
    { from: install.position, winner: decided },
  ];
  assert.equal(revisionsDue(outcomes(first), [first, second]), []);
  assert.equal(revisionsDue(outcomes(decided), [first, second]), [second]);
});

due("up to 20 times for one decision, recorded or not", () => {
  const numbers = Array.from({ length: maxRevisions + 1 }, (_, index) => index);
  const lates = numbers.map((number) => late(100 + number, hour - number));
  assert.equal(dueAfter(decided, ...lates.slice(0, 19)), lates.slice(0, 19));
  assert.equal(dueAfter(decided, ...lates.slice(0, 20)), lates.slice(0, 20));
  assert.equal(dueAfter(decided, ...lates), lates.slice(0, 20));
  const recorded = lates.slice(0, 19).map((winner) => ({ from: winner.position, winner }));
  const outcomes = [{ from: install.position, winner: decided }, ...recorded];
  assert.equal(revisionsDue(outcomes, lates), lates.slice(19, 20));
});

due("never before there is a decision", () => {
  assert.equal(revisionsDue([], [late(2, hour)]), []);
});

due("exactly when deciding from scratch at each touchpoint's position gives another winner", () => {
  const candidate = fc.record({
    hours: fc.nat(5),
    kind: fc.constantFrom("click", "impression"),
    matchedBy: fc.constantFrom("click_id", "device_id", "probabilistic"),
  } as const);
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 4 }), fc.array(candidate, { maxLength: 8 }), (before, after) => {
      const early = before.map(({ hours, ...one }, index) => aCandidate(index, hours * hour, one));
      const lates = after.map(({ hours, ...one }, index) => late(index + 100, hours * hour, one));
      const winnerAmong = (listed: readonly Candidate[]) =>
        decideAttribution(install, { listed, unlisted: 0 }, defaultRules).data.winner?.touchpointId;
      const changing = lates.filter(
        (_, index) =>
          winnerAmong([...early, ...lates.slice(0, index)]) !== winnerAmong([...early, ...lates.slice(0, index + 1)]),
      );
      const first = early.find(({ touchpointId }) => touchpointId === winnerAmong(early)) ?? null;
      assert.equal(dueAfter(first, ...lates), changing);
    }),
    { numRuns: 300 },
  );
});

due.run();

const revision = suite("a revision");

revision("has both outcomes and a verdict on every candidate", () => {
  const winner = late(2, hour);
  const { data: former } = decideAttribution(install, { listed: [decided], unlisted: 0 }, defaultRules);
  const assessed = (number: number, at: string) => {
    return { touchpointId: exampleUuid("touchpoint", number), kind: "click", at, matchedBy: "device_id" } as const;
  };
  assert.equal(
    reviseAttribution(install, { listed: [winner, decided], unlisted: 0 }, defaultRules, winner, former.winner),
    {
      type: "AttributionRevised",
      data: {
        appId: 1,
        eventId: install.eventId,
        category: "app_install",
        at: "2026-03-31T10:00:00.000Z",
        deviceKey: install.deviceKey,
        winner: { ...assessed(2, "2026-03-31T09:00:00.000Z"), source: springSale },
        candidates: [
          { ...assessed(2, "2026-03-31T09:00:00.000Z"), verdict: "won" },
          { ...assessed(1, "2026-03-31T08:00:00.000Z"), verdict: "older" },
        ],
        otherCandidates: {},
        rules: defaultRules,
        lateTouchpointId: winner.touchpointId,
        formerWinner: { ...assessed(1, "2026-03-31T08:00:00.000Z"), source: springSale },
      },
    },
  );
});

revision("counts its late touchpoint once, also when a flood has hidden it", () => {
  const winner = late(2, hour);
  const of = (listed: readonly Candidate[], unlisted: number) =>
    reviseAttribution(install, { listed, unlisted }, defaultRules, winner, null).data;
  assert.equal(of([decided], 7).otherCandidates, { not_ranked: 6 });
  assert.equal(of([decided, winner], 7).otherCandidates, { not_ranked: 7 });
  assert.is(of([decided], 7).winner?.touchpointId, winner.touchpointId);
});

revision.run();
