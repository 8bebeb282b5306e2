import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RevenueResult } from "../../../../projections/reports/revenue/run.ts";
import { ratesOf, spend, spring } from "../actuals/advertising.ts";
import { listedMonths, twitter } from "../masking/networks.ts";
import { happened } from "../retention/examples.ts";
import { openRevenueFacts, paid, revenueReport, totalsOf, valuesOf } from "./examples.ts";

const facts = await openRevenueFacts();
const noon = (day: number): string => `2026-03-0${day}T12:00:00+09:00`;
const installed = happened(noon(1), { device: 1 });
const campaign = (name: string) => ({ label: { source: { ...spring, campaign: name }, kind: "click" as const } });
const tweeted = { label: { source: twitter, kind: "click" as const } };
const groupsOf = (result: RevenueResult) =>
  result.rows.map(({ groupBys, total }) => [groupBys, totalsOf(total), valuesOf(total)]);
const codesOf = ({ notifications }: RevenueResult) => notifications.map(({ code }) => code);

const masks = suite("masking of revenue");

masks("marks the group of a withheld start; a fully masked block has no row", async () => {
  const appEvents = [
    happened(noon(1), { device: 1, ...tweeted }),
    paid(noon(2), 1, 500),
    happened(noon(2), { device: 2 }),
  ];
  const result = await facts.answerOne({ appEvents }, revenueReport({ to: "2026-03-02" }));
  assert.equal(
    result.rows.map(({ rows }) => rows.map((row) => [row.date, totalsOf(row), valuesOf(row)])),
    [[["2026-03-02", ["1", "0", null], ["0", "0", null]]]],
  );
  assert.equal(groupsOf(result), [[[], ["1+", "null+", null], ["null+", "null+", "null+"]]]);
  assert.equal(codesOf(result), ["AGG_DATA_MASKING_BY_PARTNER"]);
  assert.equal(listedMonths(result), ["twitter 2026-03"]);
});

masks("is one group by its channel and month, however many are withheld whole", async () => {
  const appEvents = [1, 2, 3].map((device) => {
    const source = { ...tweeted.label.source, campaign: `c${device}` };
    return happened(noon(1), { device, label: { source, kind: "click" } });
  });
  const groupBys = ["campaign", "channel", "event_month", "event_hour"];
  assert.equal(groupsOf(await facts.answerOne({ appEvents }, revenueReport({ groupBys }))), [
    [
      [null, "twitter", "2026-03", null],
      ["null+", "null+", null],
      ["null+", "null+", "null+"],
    ],
  ]);
});

masks("names only channel-months of what could start on its dates with its filters, or return", async () => {
  const of = (channel: string, campaign: string) => {
    return { label: { source: { ...spring, channel, campaign }, kind: "click" as const } };
  };
  const appEvents = [
    happened(noon(1), { device: 1, ...of("partner", "spring") }),
    happened(noon(1), { device: 2, ...of("tiktok", "spring") }),
    happened(noon(1), { device: 3, ...of("snapchat", "summer") }),
    happened(noon(2), { device: 4, ...of("apple.searchads", "spring") }),
    paid(noon(2), 1, 500, of("twitter", "summer")),
  ];
  const filters = [{ dimension: "campaign", filterType: "IN" as const, values: ["spring"] }];
  const result = await facts.answerOne({ appEvents }, revenueReport({ filters }));
  assert.equal(listedMonths(result), ["tiktok 2026-03", "twitter 2026-03"]);
});

masks("notifies when data are too old", async () => {
  const appEvents = [happened(noon(1), { device: 1, ...tweeted })];
  const now = new Date("2026-08-24T12:00:00+09:00");
  assert.equal(codesOf(await facts.answerOne({ appEvents }, revenueReport({}, { now }))), ["SAN_PERIOD_LIMIT"]);
});

masks("leaves out amounts without an exchange rate, of returns and of spend, and names them", async () => {
  const advertised = {
    appEvents: [
      installed,
      paid(noon(1), 1, 100),
      paid(noon(2), 1, 700, { currency: "EUR" }),
      paid(noon(2), 1, 100, { currency: "USD" }),
    ],
    uploads: { spend: [{ ...spend, currency: "JPY" }], rates: ratesOf("2026-02-28", "USD", { KRW: "1000" }) },
  };
  const result = await facts.answerOne(advertised, revenueReport());
  assert.equal(groupsOf(result), [[[], ["1", "1001+", "null+"], ["1", "1001+", "1001+"]]]);
  assert.equal(
    result.notifications.map(({ code, params }) => [code, params]),
    [["EXCHANGE_RATE_MISSING", { rates: "EUR (2026-03-02); JPY (2026-03-01)" }]],
  );
});

masks("names the rates that only the total row lacks", async () => {
  const advertised = { appEvents: [installed], uploads: { spend: [{ ...spend, currency: "JPY" }] } };
  const query = { groupBys: ["app_version"], includesTotal: true };
  const { total, notifications } = await facts.answerOne(advertised, revenueReport(query));
  assert.equal(total && totalsOf(total), ["1", "0", "null+"]);
  assert.equal(
    notifications.map(({ code, params }) => [code, params]),
    [["EXCHANGE_RATE_MISSING", { rates: "JPY (2026-03-01)" }]],
  );
});

const costs = suite("the cost of a revenue report");

for (const [filterType, values, cost] of [
  ["IN", ["Android"], "6"],
  ["EXIST", [], "6"],
  ["LIKE", ["*"], "6"],
  ["NOT IN", ["iOS"], "6"],
  ["IN", [""], null],
  ["NOT EXIST", [], null],
] as const) {
  costs(`is that of rows with a value of each filtered field: ${filterType} ${values}`, async () => {
    const unnamed = happened(noon(1), { device: 2, client: { os_name: null, country: null, device_model: null } });
    const uploads = {
      spend: [
        { ...spend, os_name: "Android", cents: 600 },
        { ...spend, cents: 100 },
      ],
    };
    const appEvents = [installed, unnamed];
    const filters = [{ dimension: "os_name", filterType, values: [...values] }];
    const { rows } = await facts.answerOne({ appEvents, uploads }, revenueReport({ filters }));
    assert.equal(
      rows.map(({ total }) => totalsOf(total)[2]),
      [cost],
    );
  });
}

for (const [dimension, values] of [
  ["currency", ["USD"]],
  ["event_type", ["in_app"]],
] as const) {
  costs(`is none if the filter is by a field of users' events: ${dimension}`, async () => {
    const filters = [{ dimension, filterType: "NOT IN" as const, values: [...values] }];
    const result = await facts.answerOne(
      { appEvents: [installed], uploads: { spend: [spend] } },
      revenueReport({ filters }),
    );
    assert.equal(groupsOf(result), [[[], ["1", "0", null], ["0", "0", "0"]]]);
  });
}

costs("sorts a group last whose spend has not reached the last hour", async () => {
  const uploads = {
    spend: [
      { ...spend, date: "2026-03-03", campaign: "a" },
      { ...spend, date: "2026-03-02", campaign: "b" },
    ],
  };
  const sorts = [{ fieldName: "app_revenue", isAscending: true }];
  const hourly = { from: "2026-03-02", to: "2026-03-03", granularity: "hour", groupBys: ["campaign"], sorts } as const;
  const { rows } = await facts.answerOne({ uploads }, revenueReport(hourly));
  assert.equal(
    rows.map(({ groupBys, total }) => [groupBys[0], total.values.at(-1)]),
    [
      ["b", "0"],
      ["a", null],
    ],
  );
});

costs("begins no hour for a group whose starts have not reached it", async () => {
  const date = "2026-03-03";
  const appEvents = ["10:30", "10:40"].map((time, of) => {
    const at = `${date}T${time}:00+09:00`;
    return of === 0 ? happened(at, { device: 1, ...campaign("a") }) : paid(at, 1, 1000);
  });
  const uploads = {
    spend: [
      { ...spend, date, campaign: "a", cents: 500 },
      { ...spend, date, campaign: "b", cents: 500 },
    ],
  };
  const schema = await facts.write({ appEvents, uploads });
  const hourly = { from: date, to: date, granularity: "hour", groupBys: ["campaign"] } as const;
  const hours = (shown: string) => [...Array<string>(3).fill(shown), ...Array<null>(10).fill(null)];
  for (const [metric, ofStarts, withoutStarts] of [
    ["app_revenue", "10", "0"],
    ["app_roas", "200", "0"],
  ] as const) {
    const sorts = [{ fieldName: metric, isAscending: true }];
    const result = await facts.run(schema, revenueReport({ ...hourly, metric, sorts }));
    assert.equal(
      result?.rows.map(({ groupBys, total }) => [groupBys[0], valuesOf(total)]),
      [
        ["b", Array(13).fill(withoutStarts)],
        ["a", hours(ofStarts)],
      ],
    );
  }
});

const rows = suite("rows of a revenue report");

rows("are sorted by group-bys and the cost, nulls last", async () => {
  const starts = [["a"], ["b"], ["b"], []].map(([name], device) => {
    return happened(noon(1), { device, ...(name === undefined ? { label: null } : campaign(name)) });
  });
  const spent = [
    { ...spend, campaign: "a", cents: 500 },
    { ...spend, campaign: "b", cents: 300 },
  ];
  const schema = await facts.write({ appEvents: starts, uploads: { spend: spent } });
  const sorted = async (fieldName: string, isAscending: boolean) =>
    (await facts.run(schema, revenueReport({ groupBys: ["campaign"], sorts: [{ fieldName, isAscending }] })))?.rows.map(
      ({ groupBys }) => groupBys[0],
    );
  assert.equal(await sorted("campaign", false), ["b", "a", null]);
  assert.equal(await sorted("campaign", true), ["a", "b", null]);
  assert.equal(await sorted("totalCost", true), ["b", "a", null]);
  assert.equal(await sorted("totalCost", false), ["a", "b", null]);
});

rows("without a total are sorted last, also by the smallest first", async () => {
  const appEvents = [
    installed,
    paid(noon(2), 1, 300),
    happened(noon(1), { device: 2, ...tweeted }),
    happened(noon(1), { device: 3, label: { source: { ...spring, channel: "abroad" }, kind: "click" } }),
    paid(noon(2), 3, 500, { currency: "EUR" }),
  ];
  const schema = await facts.write({ appEvents });
  const channels = async (fieldName: string) => {
    const query = { groupBys: ["channel"], sorts: [{ fieldName, isAscending: true }] };
    return (await facts.run(schema, revenueReport(query)))?.rows.map(({ groupBys }) => groupBys[0]);
  };
  assert.equal(await channels("totalRevenue"), ["partner", "abroad", "twitter"]);
  assert.equal(await channels("totalUniqueUsers"), ["abroad", "partner", "twitter"]);
});

rows("divide by the devices with an amount above 0", async () => {
  const appEvents = [
    ...[1, 2, 3].map((device) => happened(noon(1), { device })),
    ...[paid(noon(1), 1, 300), paid(noon(1), 2, -100), paid(noon(1), 3, 0)],
  ];
  const result = await facts.answerOne({ appEvents }, revenueReport({ metric: "app_arppu" }));
  assert.equal(groupsOf(result), [[[], ["3", "2", null], ["2", "2", "2"]]]);
});

rows("give the same hash each time, and others another", async () => {
  const schema = await facts.write({ appEvents: [installed] });
  const hash = async (query: object) => (await facts.run(schema, revenueReport(query)))?.rowsHash;
  assert.is(await hash({}), await hash({}));
  assert.is.not(await hash({}), await hash({ groupBys: ["campaign"] }));
});

rows.after(() => facts.close());

masks.run();
costs.run();
rows.run();
