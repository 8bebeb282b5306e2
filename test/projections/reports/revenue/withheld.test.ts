import { suite } from "uvu";
import * as assert from "uvu/assert";
import { selectMaskedRanges } from "../../../../projections/reports/masking/masked-facts.ts";
import { selectRows } from "../../../../projections/reports/query/bindings.ts";
import type { RevenueResult } from "../../../../projections/reports/revenue/run.ts";
import { type FoundBucket, revenueStatement } from "../../../../projections/reports/revenue/statement.ts";
import { spend } from "../actuals/advertising.ts";
import { twitter } from "../masking/networks.ts";
import { happened } from "../retention/examples.ts";
import { openRevenueFacts, paid, revenueReport, totalsOf, valuesOf } from "./examples.ts";

const facts = await openRevenueFacts();
const noon = (day: number): string => `2026-03-0${day}T12:00:00+09:00`;
const installed = happened(noon(1), { device: 1 });
const tweeted = { label: { source: twitter, kind: "click" as const } };
const groupsOf = (result: RevenueResult) =>
  result.rows.map(({ groupBys, total }) => [groupBys, totalsOf(total), valuesOf(total)]);
const codesOf = ({ notifications }: RevenueResult) => notifications.map(({ code }) => code);

const withheld = suite("a revenue report with withheld starts and returns");
withheld.after(() => facts.close());

withheld("has the start at the very moment of a withheld one of the device, and is not marked", async () => {
  const appEvents = [happened(noon(1), { device: 1, ...tweeted }), installed];
  const result = await facts.answerOne({ appEvents }, revenueReport());
  assert.equal(groupsOf(result), [[[], ["1", "0", null], ["0", "0", "0"]]]);
  assert.equal(codesOf(result), []);
});

withheld("takes no sub-row of a result that a fully withheld block would have", async () => {
  const withheldStarts = [1, 2, 3].map((day) => happened(noon(day), { device: day, ...tweeted }));
  const schema = await facts.write({ appEvents: [...withheldStarts, happened(noon(4), { device: 4 })] });
  const report = revenueReport({ to: "2026-03-04" }, { now: new Date("2026-03-04T12:00:00+09:00") });
  const range = { from: "2026-03-01", to: "2026-03-04" };
  const buckets = await facts.db.transaction(async (trx) => {
    const masked = await selectMaskedRanges(trx, schema, report, range);
    const input = { schema, report, returnDates: range, rates: new Map(), masked, groupBys: [] };
    return selectRows<FoundBucket>(trx, revenueStatement(input, { groups: 1, subRows: 1, lines: 2 }));
  });
  facts.release(schema);
  assert.equal(
    buckets.map(({ place, block, users, maskedStarts }) => [place, block, users, maskedStarts]),
    [
      [1, 0, 0, 1],
      [1, 1, 0, 1],
      [1, 2, 0, 1],
      [1, 3, 1, 0],
    ],
  );
});

withheld("has the reason of the first withheld start of a device", async () => {
  // The dates before March 3 are too old.
  const now = new Date("2026-08-25T12:00:00+09:00");
  const on = (day: number, device: number) => happened(noon(day), { device, ...tweeted });
  const codesWith = async (...appEvents: readonly (typeof installed)[]) =>
    codesOf(await facts.answerOne({ appEvents }, revenueReport({ to: "2026-03-04" }, { now })));
  assert.equal(await codesWith(on(2, 1), on(4, 1)), ["SAN_PERIOD_LIMIT"]);
  assert.equal(await codesWith(on(4, 1)), ["AGG_DATA_MASKING_BY_PARTNER"]);
  assert.equal(await codesWith(on(2, 1), on(4, 2)), ["AGG_DATA_MASKING_BY_PARTNER", "SAN_PERIOD_LIMIT"]);
});

withheld("does not name a group whose starts are all withheld for spend that does not count", async () => {
  const source = { ...twitter, campaign: "secret" };
  const appEvents = [happened(noon(1), { device: 1, label: { source, kind: "click" } })];
  const uploads = { spend: [{ ...spend, channel: "twitter", campaign: "secret" }] };
  const filters = [{ dimension: "os_name", filterType: "NOT IN" as const, values: ["iOS"] }];
  const result = await facts.answerOne({ appEvents, uploads }, revenueReport({ groupBys: ["campaign"], filters }));
  assert.equal(groupsOf(result), [[[null], ["null+", "null+", null], ["null+", "null+", "null+"]]]);
});

withheld("is marked by a return without a value only where returns are counted", async () => {
  const schema = await facts.write({ appEvents: [installed, paid(noon(2), 1, null, tweeted)] });
  const answered = async (metric: "app_revenue" | "app_event_count") => {
    const result = await facts.run(schema, revenueReport({ metric }));
    return result && [result.rows.map(({ total }) => valuesOf(total)), codesOf(result)];
  };
  assert.equal(await answered("app_revenue"), [[["0", "0", "0"]], []]);
  assert.equal(await answered("app_event_count"), [[["0", "null+", "null+"]], ["AGG_DATA_MASKING_BY_PARTNER"]]);
});

withheld("names no exchange rates that only withheld amounts lack", async () => {
  const appEvents = [
    installed,
    paid(noon(1), 1, 100, { currency: "JPY" }),
    paid(noon(2), 1, 100, { currency: "EUR", ...tweeted }),
  ];
  const { notifications } = await facts.answerOne({ appEvents }, revenueReport());
  assert.equal(
    notifications.map(({ code, params }) => [code, params?.rates]),
    [
      ["AGG_DATA_MASKING_BY_PARTNER", undefined],
      ["EXCHANGE_RATE_MISSING", "JPY (2026-03-01)"],
    ],
  );
});

withheld.run();
