import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Candidate } from "../../../domain/attribution/candidates.ts";
import { decideAttribution } from "../../../domain/attribution/decide-attribution.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import type { MatchType } from "../../../domain/attribution/events.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { springSale } from "../../examples/touchpoints.ts";
import { aCandidate, day, hour, install } from "./examples.ts";

const decision = suite("a decision");

decision("has the winner, how it matched, the rules in force and a verdict on every candidate", () => {
  const listed = [
    aCandidate(1, hour, { human: false }),
    aCandidate(2, 2 * hour, { matchedBy: "probabilistic" }),
    aCandidate(3, 3 * hour),
    aCandidate(4, 4 * hour),
  ];
  assert.equal(decideAttribution(install, { listed, unlisted: 0 }, defaultRules), {
    type: "AttributionDecided",
    data: {
      appId: 1,
      eventId: install.eventId,
      category: "app_install",
      at: "2026-03-31T10:00:00.000Z",
      deviceKey: install.deviceKey,
      winner: {
        touchpointId: exampleUuid("touchpoint", 3),
        kind: "click",
        at: "2026-03-31T07:00:00.000Z",
        matchedBy: "device_id",
        source: springSale,
      },
      candidates: [
        { ...assessed(3, "2026-03-31T07:00:00.000Z"), verdict: "won" },
        { ...assessed(4, "2026-03-31T06:00:00.000Z"), verdict: "older" },
        { ...assessed(2, "2026-03-31T08:00:00.000Z"), matchedBy: "probabilistic", verdict: "lower_priority" },
        { ...assessed(1, "2026-03-31T09:00:00.000Z"), verdict: "bot" },
      ],
      otherCandidates: {},
      rules: defaultRules,
    },
  });
});

decision("without a candidate has no winner", () => {
  const { data } = decideAttribution(install, { listed: [], unlisted: 0 }, defaultRules);
  assert.equal([data.winner, data.candidates, data.otherCandidates], [null, [], {}]);
});

decision("lists the winner and the 100 best-ranked others and counts the rest by verdict", () => {
  const listed = [
    ...Array.from({ length: 60 }, (_, index) => aCandidate(index + 1, index * hour)),
    ...Array.from({ length: 50 }, (_, index) => aCandidate(index + 101, 8 * day + index * hour)),
    ...Array.from({ length: 10 }, (_, index) => aCandidate(index + 201, 9 * day, { kind: "impression", human: false })),
  ];
  const { data } = decideAttribution(install, { listed, unlisted: 7 }, defaultRules);
  assert.equal(data.winner?.touchpointId, exampleUuid("touchpoint", 1));
  assert.equal(
    data.candidates.map(({ touchpointId }) => touchpointId),
    [...range(1, 60), ...range(101, 41)].map((number) => exampleUuid("touchpoint", number)),
  );
  assert.equal(data.otherCandidates, { outside_lookback: 9, bot: 10, not_ranked: 7 });
});

decision("lists 100 candidates without a winner", () => {
  const listed = Array.from({ length: 130 }, (_, index) => aCandidate(index, hour, { human: false }));
  const { data } = decideAttribution(install, { listed, unlisted: 0 }, defaultRules);
  assert.equal([data.winner, data.candidates.length, data.otherCandidates], [null, 100, { bot: 30 }]);
});

decision("depends on neither the order nor the repetition of candidates", () => {
  fc.assert(
    fc.property(anyCandidates, fc.infiniteStream(fc.nat()), (candidates, numbers) => {
      const shuffled = [...candidates, ...candidates.slice(0, 3)]
        .map((candidate) => ({ candidate, order: numbers.next().value }))
        .sort((one, other) => one.order - other.order)
        .map(({ candidate }) => candidate);
      assert.equal(decide(shuffled), decide(candidates));
    }),
  );
});

decision("equals the rules applied one by one", () => {
  fc.assert(
    fc.property(anyCandidates, (candidates) => {
      const { winner, candidates: listed, otherCandidates } = decide(candidates);
      assert.is(winner?.touchpointId, winnerWordByWord(candidates)?.touchpointId);
      const distinct = new Set(candidates.map(({ touchpointId }) => touchpointId)).size;
      assert.is(listed.length + Object.values(otherCandidates).reduce((sum, count) => sum + count, 0), distinct);
      assert.is(listed.filter(({ verdict }) => verdict === "won").length, winner === null ? 0 : 1);
    }),
    { numRuns: 500 },
  );
});

const target = { ...install, gaidKey: 1n };

const anyTouchpoint = fc.record({
  hours: fc.constantFrom(0, 1, 5, 6, 7, 23, 24, 25, 100, 168, 169),
  kind: fc.constantFrom("click", "impression"),
  human: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  gaidKey: fc.constantFrom(null, 1n, 2n),
  isReengagement: fc.constantFrom("OFF", "ON-TRUE", "ON-FALSE"),
  matches: fc.subarray<MatchType>(["click_id", "device_id", "probabilistic"], { minLength: 1 }),
} as const);

/** Touchpoints, each as often as it matches; only clicks match by click id. */
const anyCandidates = fc.array(anyTouchpoint, { maxLength: 130 }).map((touchpoints) =>
  touchpoints.flatMap(({ hours, matches, isReengagement, ...touchpoint }, index) =>
    matches.map((matchedBy) =>
      aCandidate(index, hours * hour, {
        ...touchpoint,
        kind: matches.includes("click_id") ? "click" : touchpoint.kind,
        matchedBy,
        source: { ...springSale, isReengagement },
      }),
    ),
  ),
);

function decide(candidates: readonly Candidate[]) {
  return decideAttribution(target, { listed: candidates, unlisted: 0 }, defaultRules).data;
}

/** The rules in their order: removes ineligible candidates, then applies one preference after the other. */
function winnerWordByWord(candidates: readonly Candidate[]): Candidate | undefined {
  const matches = (candidate: Candidate, ...how: readonly string[]) =>
    candidates.some((other) => other.touchpointId === candidate.touchpointId && how.includes(other.matchedBy));
  const byIds = (candidate: Candidate) => matches(candidate, "click_id", "device_id");
  const isClick = ({ kind }: Candidate) => kind === "click";
  let left = candidates
    .filter(({ human }) => human)
    .filter((candidate) => byIds(candidate) || candidate.gaidKey !== 2n)
    .filter(({ source }) => source.isReengagement !== "ON-TRUE")
    .filter((candidate) => {
      const hoursBack = (target.at - candidate.at) / hour;
      if (byIds(candidate)) return hoursBack <= (isClick(candidate) ? 7 * 24 : 24);
      return hoursBack <= (isClick(candidate) ? 24 : 6);
    });
  const preferring = (wish: (candidate: Candidate) => boolean) => {
    if (left.some(wish)) left = left.filter(wish);
  };
  preferring(byIds);
  preferring(isClick);
  preferring((candidate) => matches(candidate, "click_id"));
  const latest = Math.max(...left.map(({ at }) => at));
  preferring(({ at }) => at === latest);
  return left.toSorted((one, other) => Number(other.position - one.position))[0];
}

function assessed(number: number, at: string) {
  return { touchpointId: exampleUuid("touchpoint", number), kind: "click", at, matchedBy: "device_id" };
}

function range(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

decision.run();
