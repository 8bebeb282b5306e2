import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fault } from "../../../domain/fault.ts";
import { maxResultGroups, maxResultLines } from "../../../domain/reporting/limits.ts";
import { type RequestedFilter, validateFilters } from "../../../domain/reporting/query-validation.ts";

const limits = suite("what a result of groups holds");

for (const [intervals, lines] of [
  [0, 5_000_000],
  [1, 5_000_000],
  [99, 50_505],
  [100, 50_000],
  [101, 49_504],
  [181, 27_624],
] as const) {
  limits(`is 10,000 groups, 50,000 sub-rows, and ${lines} lines of ${intervals} intervals`, () => {
    assert.equal(maxResultLines(intervals), { groups: 10_000, subRows: 50_000, lines });
  });
}

for (const [cells, groups] of [
  [0, 10_000],
  [499, 10_000],
  [500, 10_000],
  [501, 9_980],
  [132_480, 37],
  [2_500_000, 2],
  [2_500_001, 1],
] as const) {
  limits(`is ${groups} groups of ${cells} cells`, () => {
    assert.is(maxResultGroups(cells), groups);
  });
}

limits.run();

const filters = suite("filters of a query");

filters("have at most 100 values of LIKE and NOT LIKE in all, and any number of IN", () => {
  const withPatterns = (count: number) => [
    { dimension: "campaign", filterType: "LIKE", values: Array(60).fill("a") },
    { dimension: "channel", filterType: "NOT LIKE", values: Array(count - 60).fill("b") },
    { dimension: "channel", filterType: "IN", values: Array(1_000).fill("c") },
  ];
  const faults = [99, 100, 101].map((count) => validateFilters(withPatterns(count) as readonly RequestedFilter[]));
  assert.equal(faults, [[], [], [fault("too_long.patterns", ["filters"], { limit: 100 })]]);
});

filters.run();
