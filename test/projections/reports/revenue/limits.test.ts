import { suite } from "uvu";
import * as assert from "uvu/assert";
import { spring } from "../actuals/advertising.ts";
import { happened } from "../retention/examples.ts";
import { openRevenueFacts, revenueReport } from "./examples.ts";

const facts = await openRevenueFacts();
const start = Date.parse("2026-03-01T00:00:00+09:00");
/** An install of a device in a minute of the range, of a campaign. */
const inMinute = (minute: number, campaign = "spring") =>
  happened(new Date(start + minute * 60_000).toISOString(), {
    device: minute,
    label: { source: { ...spring, campaign }, kind: "click" },
  });
const minutes = (count: number, campaign?: string) =>
  Array.from({ length: count }, (_, minute) => inMinute(minute, campaign));
const byMinute = { granularity: "minute", to: "2026-03-08", groupBys: ["campaign"] } as const;
const now = { now: new Date("2026-03-08T12:00:00+09:00") };
const exceeded = ["EXCEEDED_LIMIT_ON_MAX_ROW_COUNT.cohorts"];

const limits = suite("how much a revenue report holds");
limits.after(() => facts.close());

for (const [count, codes] of [
  [1_000, []],
  [1_001, exceeded],
] as const) {
  limits(`the first 1,000 of ${count} groups by the sort`, async () => {
    const name = (index: number): string => `campaign ${String(index).padStart(4, "0")}`;
    const appEvents = Array.from({ length: count }, (_, index) => ({ ...inMinute(0, name(index)), device: index }));
    const query = { groupBys: ["campaign"], sorts: [{ fieldName: "campaign", isAscending: false }] };
    const { rows, notifications } = await facts.answerOne({ appEvents }, revenueReport(query));
    assert.equal(
      [rows.length, rows[0]?.groupBys, notifications.map(({ code }) => code)],
      [Math.min(count, 1_000), [name(count - 1)], codes],
    );
  });
}

for (const [count, groups, codes] of [
  [100, ["a", "b"], []],
  [101, ["a"], exceeded],
] as const) {
  limits(`whole groups: of ${9_900 + count} rows in two groups ${groups.length}`, async () => {
    const appEvents = [...minutes(9_900, "a"), ...minutes(count, "b")];
    const sorts = [{ fieldName: "totalUniqueUsers", isAscending: false }];
    const result = await facts.answerOne({ appEvents }, revenueReport({ ...byMinute, sorts }, now));
    assert.equal(
      result.rows.map(({ groupBys }) => groupBys[0]),
      groups,
    );
    assert.equal(
      result.notifications.map(({ code }) => code),
      codes,
    );
  });
}

for (const [count, isHeld] of [
  [10_000, true],
  [10_001, false],
] as const) {
  limits(`${isHeld ? "all" : "none"} of a group of ${count} rows`, async () => {
    const schema = await facts.write({ appEvents: minutes(count) });
    const result = await facts.run(schema, revenueReport({ ...byMinute, includesTotal: true }, now));
    assert.equal(
      result && [result.rows[0]?.rows.length, result.total?.totalUniqueUsers.value],
      isHeld ? [count, String(count)] : null,
    );
  });
}

limits("sorts by totals and group-bys, nulls last", async () => {
  const appEvents = [inMinute(1, "a"), inMinute(2, "b"), inMinute(3, "b"), { ...inMinute(4), label: null }];
  const schema = await facts.write({ appEvents });
  const sorted = async (fieldName: string, isAscending: boolean) =>
    (await facts.run(schema, revenueReport({ groupBys: ["campaign"], sorts: [{ fieldName, isAscending }] })))?.rows.map(
      ({ groupBys }) => groupBys[0],
    );
  assert.equal(await sorted("totalUniqueUsers", false), ["b", "a", null]);
  assert.equal(await sorted("totalUniqueUsers", true), ["a", null, "b"]);
  assert.equal(await sorted("campaign", false), ["b", "a", null]);
  assert.equal(await sorted("campaign", true), ["a", "b", null]);
  assert.equal(await sorted("totalCost", true), ["a", "b", null]);
});

limits.run();
