import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RevenueQuery } from "../../../../domain/reporting/revenue/query.ts";
import { spring } from "../actuals/advertising.ts";
import { happened } from "../retention/examples.ts";
import { openRevenueFacts, paid, revenueReport } from "./examples.ts";

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

const rows = suite("rows of a revenue report");
rows.after(() => facts.close());

rows("have a total over all of them when it is requested", async () => {
  const schema = await facts.write({ appEvents: minutes(3) });
  const result = await facts.run(schema, revenueReport({ ...byMinute, includesTotal: true }, now));
  assert.equal(result && [result.rows[0]?.rows.length, result.total?.totalUniqueUsers.value], [3, "3"]);
});

rows("are sorted by totals and group-bys, nulls last", async () => {
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

rows("are sorted by their metric as it is at the last interval, which has begun for the first date alone", async () => {
  const appEvents = [
    ...[inMinute(1, "a"), inMinute(2, "b"), inMinute(3, "c"), inMinute(1_500, "d")],
    ...[paid("2026-03-01T12:00:00+09:00", 1, 900), paid("2026-03-03T12:00:00+09:00", 2, 300)],
    ...[paid("2026-03-03T12:00:00+09:00", 3, 500), paid("2026-03-03T12:00:00+09:00", 1_500, 700)],
  ];
  const schema = await facts.write({ appEvents });
  const sorted = async (query: Partial<RevenueQuery>, isAscending = false) => {
    const sorts = [{ fieldName: query.metric ?? "app_revenue", isAscending }];
    const report = revenueReport({ to: "2026-03-02", groupBys: ["campaign"], sorts, ...query });
    return (await facts.run(schema, report))?.rows.map(({ groupBys }) => groupBys[0]).join("");
  };
  assert.is(await sorted({}), "acbd");
  assert.is(await sorted({}, true), "bcad");
  assert.is(await sorted({ aggregationType: "on-day" }), "cbad");
  assert.is(await sorted({ aggregationType: "on-day", metric: "app_user_count" }), "bcad");
  assert.is(await sorted({ metric: "app_arpu" }), "acbd");
  assert.is(await sorted({ metric: "app_roas" }, true), "abcd");
});

rows("give the same hash each time, and others another", async () => {
  const schema = await facts.write({ appEvents: minutes(3) });
  const hash = async (query: object) => (await facts.run(schema, revenueReport(query)))?.rowsHash;
  assert.is(await hash({}), await hash({}));
  assert.is.not(await hash({}), await hash({ groupBys: ["campaign"] }));
});

rows.run();
