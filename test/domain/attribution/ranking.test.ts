import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compareCandidates } from "../../../domain/attribution/ranking.ts";
import { aCandidate, hour, verdictsOn } from "./examples.ts";

const clickId = { matchedBy: "click_id" } as const;
const probabilistic = { matchedBy: "probabilistic" } as const;
const impression = { kind: "impression" } as const;

const ranking = suite("the winner");

ranking("is an impression by device rather than a later probabilistic click", () => {
  assert.equal(verdictsOn([aCandidate(1, 2 * hour, impression), aCandidate(2, hour, probabilistic)]), [
    "won",
    "lower_priority",
  ]);
});

ranking("is a click by device rather than a later impression by device", () => {
  assert.equal(verdictsOn([aCandidate(1, 2 * hour), aCandidate(2, hour, impression)]), ["won", "lower_priority"]);
});

ranking("is a probabilistic click rather than a later probabilistic impression", () => {
  const seen = aCandidate(2, hour, { ...impression, ...probabilistic });
  assert.equal(verdictsOn([aCandidate(1, 2 * hour, probabilistic), seen]), ["won", "lower_priority"]);
});

ranking("is the click that the referrer names rather than a later one by device", () => {
  assert.equal(verdictsOn([aCandidate(1, 2 * hour, clickId), aCandidate(2, hour)]), ["won", "lower_priority"]);
});

ranking("is the latest of equals", () => {
  assert.equal(verdictsOn([aCandidate(1, hour), aCandidate(2, 2 * hour)]), ["won", "older"]);
});

ranking("is the one later in the log where even the time is the same", () => {
  assert.equal(verdictsOn([aCandidate(1, hour), aCandidate(2, hour)]), ["older", "won"]);
});

ranking("is ranked by its strongest match", () => {
  const both = [aCandidate(1, 2 * hour, probabilistic), aCandidate(1, 2 * hour), aCandidate(2, hour, impression)];
  assert.equal(verdictsOn(both), ["won", "won", "lower_priority"]);
});

ranking("is null without an eligible candidate", () => {
  assert.equal(verdictsOn([aCandidate(1, hour, { human: false })]), ["bot"]);
  assert.equal(verdictsOn([]), []);
});

ranking.run();

const order = suite("the order of candidates");

order("puts the priority before the time", () => {
  const candidates = [
    aCandidate(1, hour, { ...impression, ...probabilistic }),
    aCandidate(2, 2 * hour, probabilistic),
    aCandidate(3, 3 * hour, impression),
    aCandidate(4, 5 * hour),
    aCandidate(5, 4 * hour),
    aCandidate(6, 6 * hour, clickId),
  ];
  assert.equal(
    candidates.toSorted(compareCandidates).map(({ position }) => position),
    [6n, 5n, 4n, 3n, 2n, 1n],
  );
});

order.run();
