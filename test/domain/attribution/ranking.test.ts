import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compareCandidates } from "../../../domain/attribution/ranking.ts";
import { aCandidate, hour, verdictsOn } from "./examples.ts";

const clickId = { matchedBy: "click_id" } as const;
const probabilistic = { matchedBy: "probabilistic" } as const;
const impression = { kind: "impression" } as const;

const ranking = suite("the winner");

for (const [title, candidates, verdicts] of [
  [
    "is an impression by device rather than a later probabilistic click",
    [aCandidate(1, 2 * hour, impression), aCandidate(2, hour, probabilistic)],
    "won lower_priority",
  ],
  [
    "is a click by device rather than a later impression by device",
    [aCandidate(1, 2 * hour), aCandidate(2, hour, impression)],
    "won lower_priority",
  ],
  [
    "is a probabilistic click rather than a later probabilistic impression",
    [aCandidate(1, 2 * hour, probabilistic), aCandidate(2, hour, { ...impression, ...probabilistic })],
    "won lower_priority",
  ],
  [
    "is the click that the referrer names rather than a later one by device",
    [aCandidate(1, 2 * hour, clickId), aCandidate(2, hour)],
    "won lower_priority",
  ],
  ["is the latest of equals", [aCandidate(1, hour), aCandidate(2, 2 * hour)], "won older"],
  ["is the one later in the log at the same time", [aCandidate(1, hour), aCandidate(2, hour)], "older won"],
  [
    "is ranked by its strongest match",
    [aCandidate(1, 2 * hour, probabilistic), aCandidate(1, 2 * hour), aCandidate(2, hour, impression)],
    "won won lower_priority",
  ],
  ["is null without an eligible candidate", [aCandidate(1, hour, { human: false })], "bot"],
  ["is null without any candidate", [], ""],
] as const) {
  ranking(title, () => assert.is(verdictsOn(candidates).join(" "), verdicts));
}

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
