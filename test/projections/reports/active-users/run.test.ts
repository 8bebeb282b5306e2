import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ratesOf } from "../actuals/advertising.ts";
import type { AppEvent } from "../facts.ts";
import { listedMonths, twitter } from "../masking/networks.ts";
import { activeUsersReport, codes, did, groupsOf, openActiveUsersFacts } from "./examples.ts";

const facts = await openActiveUsersFacts();
const [monday, tuesday] = ["2026-03-02T10:00", "2026-03-03T23:59:59.999"];
const order = (at: string, device: number, cents: number | null, more: Partial<AppEvent> = {}): AppEvent =>
  did("app_order_complete", at, device, { cents, ...more });

const model = (device_model: string) => ({ os_name: null, country: null, device_model });

/** U is active on Monday and Tuesday, V on Tuesday, with revenue 12 (contract/reports.md#active-users). */
const worked = [
  did("app_open", monday, 1),
  did("app_foreground", monday, 1),
  did("app_open", tuesday, 1),
  order(tuesday, 2, 1_200),
];

const active = suite("an active users report");
active.after(() => facts.close());

active(
  "counts 1 and 2 daily users of the worked example, 2 weekly, ARPU 6 and ARPPU 12: they do not add up",
  async () => {
    const results = await facts.answer(
      { appEvents: worked },
      activeUsersReport(),
      activeUsersReport({ granularity: "week", to: "2026-03-08" }),
      activeUsersReport({ granularity: "month" }),
    );
    const week = [[[], [0, ["2", "1", "12", "6", "12"]]]];
    assert.equal(results.map(groupsOf), [
      [[[], [0, ["1", "0", "0", "0", null]], [1, ["2", "1", "12", "6", "12"]]]],
      week,
      week,
    ]);
    assert.equal(results.map(codes), [[], [], []]);
  },
);

active("counts acknowledged events whose clock is ahead of the report's 'now'", async () => {
  const now = new Date("2026-03-03T14:50:00Z");
  const results = await facts.answer(
    { appEvents: worked },
    activeUsersReport({}, { now }),
    activeUsersReport({ granularity: "hour", from: "2026-03-03" }, { now }),
  );
  const ofTuesday = ["2", "1", "12", "6", "12"];
  assert.equal(results.map(groupsOf), [
    [[[], [0, ["1", "0", "0", "0", null]], [1, ofTuesday]]],
    [[[], [23, ofTuesday]]],
  ]);
});

active("converts amounts by the rates of their dates, leaves out those without one, and notifies", async () => {
  const appEvents = [
    order(monday, 1, 100, { currency: "EUR" }),
    order(tuesday, 1, 100, { currency: "EUR" }),
    order(tuesday, 2, 700, { currency: "USD" }),
    order(tuesday, 3, 50),
  ];
  const uploads = { rates: ratesOf("2026-03-03", "EUR", { KRW: "1500" }) };
  const [all, payers] = await facts.answer(
    { appEvents, uploads },
    activeUsersReport(),
    activeUsersReport({ metrics: ["app_pu"] }),
  );
  assert.equal(all && groupsOf(all), [
    [[], [0, ["1", "1", "0", "0", "0"]], [1, ["3", "3", "1500.5", "500.1666666666667", "500.1666666666667"]]],
  ]);
  assert.equal(
    all?.notifications.map(({ code, params }) => [code, params]),
    [["EXCHANGE_RATE_MISSING", { rates: "EUR (2026-03-02); USD (2026-03-03)" }]],
  );
  assert.equal(payers && codes(payers), []);
});

active("names the channel-months that it leaves out, none of other groups or uncounted events", async () => {
  const label = { source: twitter, kind: "click" } as const;
  const appEvents = [did("app_open", monday, 1, { label }), order(monday, 2, 100)];
  const results = await facts.answer(
    { appEvents },
    activeUsersReport(),
    activeUsersReport({ filters: [{ dimension: "channel", filterType: "IN", values: ["partner"] }] }),
    activeUsersReport({ metrics: ["app_pu"] }),
  );
  assert.equal(results.map(codes), [["AGG_DATA_MASKING_BY_PARTNER"], [], []]);
  assert.equal(results.map(listedMonths), [["twitter 2026-03"], undefined, undefined]);
});

active("counts the cancellation of an interval without a payer, and sorts by it", async () => {
  const appEvents = [
    did("app_order_cancel", monday, 1, { cents: 300, client: model("cancelled") }),
    did("app_open", monday, 2, { client: model("opened") }),
  ];
  const metrics = ["app_arpu", "app_revenue", "app_pu"] as const;
  const results = await facts.answer(
    { appEvents },
    activeUsersReport({ metrics, groupBys: ["device_model"] }),
    activeUsersReport({ metrics: ["app_revenue", "app_pu"], groupBys: ["device_model"] }),
  );
  assert.equal(results.map(groupsOf), [
    [
      [["opened"], [0, ["0", "0", "0"]]],
      [["cancelled"], [0, ["-3", "-3", "0"]]],
    ],
    [[["cancelled"], [0, ["-3", "0"]]]],
  ]);
});

const withheld = { label: { source: twitter, kind: "click" as const } };

active("leaves out payers, amounts and missing rates that are withheld", async () => {
  const appEvents = [
    order(monday, 1, 100, withheld),
    order(monday, 2, 100, { currency: "EUR", ...withheld }),
    order(monday, 3, 200),
    order(monday, 4, 300, { currency: "USD" }),
  ];
  const [result] = await facts.answer({ appEvents }, activeUsersReport());
  assert.equal(result && groupsOf(result), [[[], [0, ["2", "2", "2", "1", "1"]]]]);
  assert.equal(
    result?.notifications.map(({ code, params }) => [code, params?.rates]),
    [
      ["AGG_DATA_MASKING_BY_PARTNER", undefined],
      ["EXCHANGE_RATE_MISSING", "USD (2026-03-02)"],
    ],
  );
});

active("has no row of its own for the withheld purchases of a group with other events", async () => {
  const client = model("phone");
  const appEvents = [did("app_open", monday, 1, { client }), order(monday, 2, 100, { client, ...withheld })];
  const [result] = await facts.answer({ appEvents }, activeUsersReport({ groupBys: ["device_model"] }));
  assert.equal(result && groupsOf(result), [[["phone"], [0, ["1", "0", "0", "0", null]]]]);
});

active("says why the payers of groups that are one row are withheld", async () => {
  const appEvents = [
    order(monday, 1, 100, { client: model("secret"), ...withheld }),
    order(monday, 2, 100, { client: model("other secret"), ...withheld }),
    order(monday, 3, 200, { client: model("phone") }),
  ];
  const results = await facts.answer(
    { appEvents },
    activeUsersReport({ metrics: ["app_pu"], groupBys: ["device_model"] }),
    activeUsersReport({ metrics: ["app_au", "app_pu"], groupBys: ["device_model"] }),
  );
  assert.equal(results.map(groupsOf), [
    [[["phone"], [0, ["1"]]], [[null]]],
    [[["phone"], [0, ["1", "1"]]], [[null]]],
  ]);
  assert.equal(results.map(codes), [["AGG_DATA_MASKING_BY_PARTNER"], ["AGG_DATA_MASKING_BY_PARTNER"]]);
  assert.equal(results.map(listedMonths), [["twitter 2026-03"], ["twitter 2026-03"]]);
});

/** Each group has other sums over the intervals than in any one of them. */
const ranked = [
  ...[1, 2].map((device) => did("app_open", monday, device, { client: model("many users") })),
  ...[monday, tuesday].map((at) => order(at, 3, 100, { client: model("many payers") })),
  order(monday, 4, 150, { client: model("b one payer") }),
  order(monday, 5, 150, { client: model("a one payer") }),
  did("app_open", tuesday, 2, { client: model("many users") }),
];

for (const [metric, groups] of [
  ["app_au", ["many users", "many payers", "a one payer", "b one payer"]],
  ["app_pu", ["many payers", "a one payer", "b one payer", "many users"]],
  ["app_revenue", ["many payers", "a one payer", "b one payer", "many users"]],
  ["app_arpu", ["a one payer", "b one payer", "many payers", "many users"]],
  ["app_arppu", ["a one payer", "b one payer", "many payers", "many users"]],
] as const) {
  active(
    `orders groups by ${metric} of the sums over the intervals, the largest first, equal ones by name`,
    async () => {
      const others = ["app_au", "app_pu", "app_revenue", "app_arpu", "app_arppu"] as const;
      const metrics = [metric, ...others.filter((other) => other !== metric)];
      const query = { metrics, groupBys: ["device_model"], to: "2026-03-10" };
      const results = await facts.answer(
        { appEvents: ranked },
        activeUsersReport(query),
        activeUsersReport({ ...query, granularity: "hour" }),
      );
      for (const { rows } of results) {
        assert.equal(
          rows.map(({ groupBys }) => groupBys[0]),
          groups,
        );
      }
    },
  );
}

active("gives the same hash each time, and another for other rows", async () => {
  const [once, again, other] = await facts.answer(
    { appEvents: worked },
    activeUsersReport(),
    activeUsersReport(),
    activeUsersReport({}, { position: 0n }),
  );
  assert.is(once?.rowsHash, again?.rowsHash);
  assert.is.not(once?.rowsHash, other?.rowsHash);
});

active.run();
