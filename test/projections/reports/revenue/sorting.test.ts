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

rows("give the same hash each time, and others another", async () => {
  const schema = await facts.write({ appEvents: minutes(3) });
  const hash = async (query: object) => (await facts.run(schema, revenueReport(query)))?.rowsHash;
  assert.is(await hash({}), await hash({}));
  assert.is.not(await hash({}), await hash({ groupBys: ["campaign"] }));
});

rows.run();
