import { suite } from "uvu";
import * as assert from "uvu/assert";
import { foundGroups } from "../../../../projections/reports/revenue/result-groups.ts";
import type { FoundBucket } from "../../../../projections/reports/revenue/statement.ts";

/** A block of a group with one device. */
const block = (place: number, number: number, more: Partial<FoundBucket> = {}): FoundBucket => ({
  groupBys: [`group ${place}`],
  place,
  block: number,
  day: null,
  users: 1,
  maskedStarts: 0,
  cost: "0",
  spendRows: 0,
  unconvertedSpend: 0,
  maskingReasons: 0,
  unconvertedAmounts: 0,
  cells: "",
  ...more,
});

const limits = { groups: 3, subRows: 4, lines: 6 };
/** How many buckets each group that is held has, and whether there are more groups. */
const held = (found: readonly FoundBucket[], more: Partial<typeof limits> = {}) => {
  const result = foundGroups(found, { ...limits, ...more });
  return result && [result.groups.map(({ length }) => length), result.isExceeded];
};

const groups = suite("the groups of a revenue report that fit into a result");

groups("are the first whole ones, up to the numbers of groups, sub-rows and lines", () => {
  const two = [block(1, 0), block(1, 1), block(2, 0), block(2, 1)];
  assert.equal(held(two), [[2, 2], false]);
  assert.equal(held([...two, block(3, 0)]), [[2, 2], true]);
  assert.equal(held([...two, block(3, 0)], { subRows: 5 }), [[2, 2], true]);
  assert.equal(held([...two, block(3, 0)], { subRows: 5, lines: 8 }), [[2, 2, 1], false]);
  const four = [1, 2, 3, 4].map((place) => block(place, 0));
  assert.equal(held(four, { lines: 8 }), [[1, 1, 1], true]);
});

groups("are none when the first alone does not fit", () => {
  const five = [0, 1, 2, 3, 4].map((number) => block(1, number));
  assert.equal(held(five), null);
  assert.equal(held(five.slice(1)), [[4], false]);
  assert.equal(held([]), [[], false]);
});

groups("do not count the spend of dates or withheld blocks as sub-rows", () => {
  const spent = [0, 1, 2, 3, 4].map((day) => block(1, 0, { block: null, day, users: 0, spendRows: 1 }));
  assert.equal(held(spent), [[5], false]);
  const masked = [0, 1, 2, 3, 4].map((number) => block(1, number, { users: 0, maskedStarts: 1 }));
  assert.equal(held(masked), [[5], false]);
  const onlySpend = [0, 1, 2, 3, 4].map((number) => block(1, number, { users: 0, spendRows: 1 }));
  assert.equal(held(onlySpend), null);
});

groups.run();
