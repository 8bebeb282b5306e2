import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ratesOf, spring } from "../actuals/advertising.ts";
import type { AppEvent } from "../facts.ts";
import { activeUsersReport, codes, did, groupsOf, openActiveUsersFacts } from "./examples.ts";

const facts = await openActiveUsersFacts();
const [monday, tuesday] = ["2026-03-02T10:00", "2026-03-03T23:59:59.999"];
const order = (at: string, device: number, cents: number | null, more: Partial<AppEvent> = {}): AppEvent =>
  did("app_order_complete", at, device, { cents, ...more });

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

active("counts hours and minutes from the beginning of the first date", async () => {
  const [hours, minutes] = await facts.answer(
    { appEvents: [...worked, did("app_open", "2026-03-02T10:59:59.999", 3), did("app_open", "2026-03-02T11:00", 3)] },
    activeUsersReport({ granularity: "hour", metrics: ["app_au"] }),
    activeUsersReport({ granularity: "minute", metrics: ["app_au", "app_revenue"] }),
  );
  assert.equal(hours && groupsOf(hours), [[[], [10, ["2"]], [11, ["1"]], [47, ["2"]]]]);
  assert.equal(minutes && groupsOf(minutes), [
    [[], [600, ["1", "0"]], [659, ["1", "0"]], [660, ["1", "0"]], [2_879, ["2", "12"]]],
  ]);
});

active("has one group without group-bys, also over nothing, and none with them", async () => {
  const results = await facts.answer(
    {},
    activeUsersReport(),
    activeUsersReport({ granularity: "hour" }),
    activeUsersReport({ metrics: ["app_revenue"] }),
    activeUsersReport({ groupBys: ["channel"] }),
  );
  assert.equal(results.map(groupsOf), [[[[]]], [[[]]], [[[]]], []]);
});

active("groups by what events say, in the order of the values, what is missing last", async () => {
  const from = (device: number, os_name: string | null, channel: string | null) =>
    did("app_open", monday, device, {
      client: { os_name, country: null, device_model: null },
      label: channel === null ? null : { source: { ...spring, channel }, kind: "click" },
    });
  const appEvents = [
    from(1, null, "partner"),
    from(2, "iOS", "partner"),
    from(3, "Android", "Partner ü"),
    from(3, "iOS", null),
    from(4, "", "partner"),
  ];
  const query = { metrics: ["app_au"] as const, groupBys: ["channel", "os_name"] };
  const [result, sums, filtered] = await facts.answer(
    { appEvents },
    activeUsersReport(query),
    activeUsersReport({ metrics: ["app_au"] }),
    activeUsersReport({ ...query, filters: [{ dimension: "os_name", filterType: "IN", values: ["iOS"] }] }),
  );
  assert.equal(result && groupsOf(result), [
    [
      ["Partner ü", "Android"],
      [0, ["1"]],
    ],
    [
      ["partner", "iOS"],
      [0, ["1"]],
    ],
    [
      ["partner", null],
      [0, ["2"]],
    ],
    [
      ["unattributed", "iOS"],
      [0, ["1"]],
    ],
  ]);
  assert.equal(sums && groupsOf(sums), [[[], [0, ["4"]]]]);
  assert.equal(filtered && groupsOf(filtered), [
    [
      ["partner", "iOS"],
      [0, ["1"]],
    ],
    [
      ["unattributed", "iOS"],
      [0, ["1"]],
    ],
  ]);
});

active(
  "counts orders and subscriptions as purchases, also without a value, and cancellations against the revenue",
  async () => {
    const appEvents = [
      order(monday, 1, 1_000),
      order(monday, 1, 50),
      did("app_subscribe", monday, 2, { cents: null }),
      did("app_order_cancel", monday, 3, { cents: 300 }),
      did("app_add_to_cart", monday, 4, { cents: 9_999 }),
      did("app_order_cancel", tuesday, 1, { cents: 1_000 }),
    ];
    const groupBys = ["event_category"];
    const [all, payers, revenue] = await facts.answer(
      { appEvents },
      activeUsersReport(),
      activeUsersReport({ metrics: ["app_pu"], groupBys }),
      activeUsersReport({ metrics: ["app_revenue"], groupBys }),
    );
    assert.equal(all && groupsOf(all), [
      [[], [0, ["4", "2", "7.5", "1.875", "3.75"]], [1, ["1", "0", "-10", "-10", null]]],
    ]);
    assert.equal(payers && groupsOf(payers), [
      [["app_order_complete"], [0, ["1"]]],
      [["app_subscribe"], [0, ["1"]]],
    ]);
    assert.equal(revenue && groupsOf(revenue), [
      [["app_order_cancel"], [0, ["-3"]], [1, ["-10"]]],
      [["app_order_complete"], [0, ["10.5"]]],
    ]);
  },
);

active("stays as it was at its position, and does not know what comes after its 'now'", async () => {
  const appEvents = [
    did("app_open", monday, 1, { to: 6 }),
    did("app_open", monday, 1, { from: 6, label: null }),
    did("app_open", "2026-03-02T10:00:00.001", 2),
  ];
  const query = { metrics: ["app_au"] as const, groupBys: ["channel"], to: "2026-03-02" };
  const now = new Date("2026-03-02T10:00:00+09:00");
  const results = await facts.answer(
    { appEvents },
    activeUsersReport(query, { position: 5n }),
    activeUsersReport(query, { position: 6n }),
    activeUsersReport({ ...query, groupBys: [] }, { now }),
    activeUsersReport({ ...query, groupBys: [] }, { now: new Date(now.getTime() + 1) }),
  );
  assert.equal(results.map(groupsOf), [
    [[["partner"], [0, ["2"]]]],
    [
      [["partner"], [0, ["1"]]],
      [["unattributed"], [0, ["1"]]],
    ],
    [[[], [0, ["1"]]]],
    [[[], [0, ["2"]]]],
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

active("keeps a media partner to its channels, and notifies", async () => {
  const appEvents = [did("app_open", monday, 1), did("app_open", monday, 2, { label: null })];
  const [result] = await facts.answer(
    { appEvents },
    activeUsersReport({ metrics: ["app_au"] }, { onlyChannels: ["partner"] }),
  );
  assert.equal(result && groupsOf(result), [[[], [0, ["1"]]]]);
  assert.equal(result && codes(result), ["MEDIA_PARTNER_DATA_FILTERED_BY_CHANNEL"]);
});

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
