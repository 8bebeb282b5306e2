import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Advertised, ask, cellsOf, install, openFacts, order, spend, spring } from "./advertising.ts";
import { click, enough, impression, impressionsOf, ofTwitter, times, twitter } from "./networks.ts";
import type { ReferenceQuestion } from "./reference.ts";

const facts = await openFacts();
const cells = async (advertised: Advertised, ...questions: readonly ReferenceQuestion[]) =>
  (await facts.answer(advertised, ...questions)).map(cellsOf);
const codes = async (advertised: Advertised, ...questions: readonly ReferenceQuestion[]) =>
  (await facts.answer(advertised, ...questions)).map(({ notifications }) => notifications.map(({ code }) => code));

const partners = { ...click, source: spring };
const unattributed = { ...install, label: null };
const tweeted = { ...order, label: ofTwitter.label };
const byChannel = { groupBys: ["channel"], sorts: [{ fieldName: "channel", isAscending: true }] };
const byDate = { groupBys: ["event_date"], sorts: [{ fieldName: "event_date", isAscending: true }] };
const masked = ["AGG_DATA_MASKING_BY_PARTNER"];
const tooOld = ["SAN_PERIOD_LIMIT"];

const masking = suite("masking in an actuals report (D7.7)");
masking.after(() => facts.close());

masking("leaves a small month of a network out of counts and totals, and says so", async () => {
  const advertised = {
    touchpoints: [...times(3, click), partners, partners],
    appEvents: [ofTwitter, install, install, unattributed],
  };
  const metrics = ["clicks", "app_installs", "app_attributed_installs", "app_unattributed_installs"];
  assert.equal(await cells(advertised, ask({ ...byChannel, metrics }), ask({ metrics })), [
    [
      [["partner"], ["2", "2", "2", "0"]],
      [["twitter"], ["null+", "null+", "null+", "0"]],
      [["unattributed"], ["0", "1", "0", "1"]],
    ],
    [[[], ["2+", "3+", "2+", "1"]]],
  ]);
  assert.equal(await codes(advertised, ask({ metrics })), [masked]);
});

masking("shows the month once it is large enough", async () => {
  const advertised = { touchpoints: [...enough.impressions, click], appEvents: enough.installs };
  const question = ask({ metrics: ["impressions", "clicks", "app_installs", "ctr"] });
  assert.equal(await cells(advertised, question), [[[[], ["1001", "1", "101", "0.000999000999000999"]]]]);
  assert.equal(await codes(advertised, question), [[]]);
});

masking("shows a month that uploaded impressions lift above the limit, and withholds it without them", async () => {
  const advertised = { touchpoints: [impression, click], appEvents: enough.installs };
  const question = ask({ metrics: ["impressions", "clicks"] });
  assert.equal(await cells({ ...advertised, uploads: { spend: [impressionsOf(1_000)] } }, question), [
    [[[], ["1", "1"]]],
  ]);
  assert.equal(await cells({ ...advertised, uploads: { spend: [impressionsOf(999)] } }, question), [
    [[[], ["null+", "null+"]]],
  ]);
});

masking("keeps what is uploaded, which is not about users", async () => {
  const advertised = {
    touchpoints: [click],
    appEvents: [ofTwitter, { ...install, date: "2026-03-10" }],
    uploads: { spend: [{ ...spend, channel: "twitter", date: "2026-03-10" }] },
  };
  const metrics = ["impressions_channel", "clicks_channel", "cost_channel", "cpc", "cpi"];
  assert.equal(await cells(advertised, ask({ ...byChannel, metrics }), ask({ metrics })), [
    [
      [["partner"], ["0", "0", "0", null, "0"]],
      [["twitter"], ["1000", "40", "50", "1.25", "null+"]],
    ],
    [[[], ["1000", "40", "50", "1.25", "50+"]]],
  ]);
});

masking("leaves values of money what is left of them, and null where nothing is", async () => {
  const advertised = {
    appEvents: [
      { ...tweeted, cents: 1_000 },
      { ...tweeted, date: "2026-03-02", cents: 700 },
      { ...order, cents: 500 },
      { ...order, date: "2026-03-03", cents: 0 },
      { ...tweeted, date: "2026-03-03", cents: 300 },
      { ...order, date: "2026-03-04", cents: 100 },
      { ...tweeted, date: "2026-03-04", category: "app_order_cancel", cents: 40 },
    ],
  };
  const metrics = ["app_revenue", "app_event_value"];
  assert.equal(await cells(advertised, ask({ ...byDate, metrics })), [
    [
      [["2026-03-01"], ["5+", "5+"]],
      [["2026-03-02"], ["null+", "null+"]],
      [["2026-03-03"], ["0+", "0+"]],
      [["2026-03-04"], ["1+", "1+"]],
    ],
  ]);
});

masking("marks what lost something only: an event without a value takes none away", async () => {
  const advertised = {
    touchpoints: [partners],
    appEvents: [{ ...tweeted, category: "app_open", cents: null }, order, { ...install, device: 2 }],
  };
  const metrics = [
    "clicks",
    "app_events",
    "app_event_value",
    "app_revenue",
    "app_opens",
    "app_installs",
    "app_sign_in",
  ];
  assert.equal(await cells(advertised, ask({ metrics })), [[[[], ["1", "2+", "0.1", "0.1", "null+", "1", "0"]]]]);
});

masking("marks a ratio when either of its parts has lost something", async () => {
  const upload = { ...spend, date: "2026-03-10", cents: 10_000 };
  const advertised = {
    touchpoints: [click, { ...impression, source: spring }, partners],
    appEvents: [{ ...tweeted, cents: 5_000 }, { ...order, cents: 2_000 }, ofTwitter, install],
    uploads: { spend: [upload] },
  };
  assert.equal(await cells(advertised, ask({ metrics: ["ctr", "roas", "cpi", "cpc"] })), [
    [[[], ["1+", "20+", "100+", "2.5"]]],
  ]);
  const lost = { touchpoints: [impression, partners], appEvents: [], uploads: {} };
  assert.equal(await cells(lost, ask({ metrics: ["ctr", "clicks"] })), [[[[], ["null+", "1"]]]]);
});

masking("counts a device by what is left of it", async () => {
  const opened = { ...install, category: "app_open" };
  const advertised = {
    appEvents: [
      { ...ofTwitter, device: 1 },
      { ...opened, device: 1 },
      { ...ofTwitter, device: 2 },
      { ...opened, device: 3 },
      { ...opened, device: 3 },
    ],
  };
  const metrics = [
    "app_events_users",
    "app_installs_users",
    "app_opens_users",
    "app_events",
    "app_order_complete_users",
  ];
  assert.equal(await cells(advertised, ask({ metrics }), ask({ ...byChannel, metrics })), [
    [[[], ["2+", "null+", "2", "3+", "0"]]],
    [
      [["partner"], ["2", "0", "2", "3", "0"]],
      [["twitter"], ["null+", "null+", "0", "null+", "0"]],
    ],
  ]);
});

masking("leaves events out by their own month, whatever that of their install", async () => {
  const date = "2026-02-20";
  const advertised = {
    touchpoints: times(1_001, { ...impression, date }),
    appEvents: [...times(101, { ...ofTwitter, date }), { ...tweeted, date, cents: 100 }, { ...tweeted, cents: 200 }],
  };
  const question = ask({ from: date, groupBys: ["event_month"], metrics: ["app_revenue", "app_installs"] });
  assert.equal(await cells(advertised, question), [
    [
      [["2026-02"], ["1", "101"]],
      [["2026-03"], ["null+", "0"]],
    ],
  ]);
});

masking("goes by the whole month, also when a part of it is asked, or filtered, or grouped", async () => {
  const [first, ...others] = enough.installs;
  const installs = first === undefined ? [] : [{ ...first, date: "2026-03-31" }, ...others];
  const day = { from: "2026-03-31", to: "2026-03-31" };
  const filters = [{ dimension: "event_date", filterType: "IN" as const, values: ["2026-03-31"] }];
  const questions = [{ ...day }, { filters }, { ...byDate, filters }].map((query) => {
    return ask({ ...query, metrics: ["app_installs"] });
  });
  const large = { touchpoints: enough.impressions, appEvents: installs };
  assert.equal(await cells(large, ...questions), [[[[], ["1"]]], [[[], ["1"]]], [[["2026-03-31"], ["1"]]]]);
  assert.equal(await cells({ ...large, appEvents: installs.slice(0, 100) }, ...questions), [
    [[[], ["null+"]]],
    [[[], ["null+"]]],
    [[["2026-03-31"], ["null+"]]],
  ]);
});

masking("goes by what was there at the position, and by the channel's flag there", async () => {
  const [first, ...others] = enough.installs;
  const installs = first === undefined ? [] : [{ ...first, from: 6 }, ...others];
  const advertised = { touchpoints: enough.impressions, appEvents: installs };
  const at = (...positions: readonly number[]) =>
    positions.map((position) => ({ ...ask({ metrics: ["app_installs"] }), position }));
  assert.equal(await cells(advertised, ...at(5, 6)), [[[[], ["null+"]]], [[[], ["101"]]]]);
  const channelFlags = [
    { channel: "twitter", selfAttributing: false, from: 3, to: 5 },
    { channel: "twitter", selfAttributing: true, from: 5, to: null },
    { channel: "partner", selfAttributing: true, from: 4, to: null },
  ];
  const few = { appEvents: [ofTwitter, ofTwitter, { ...install, from: 1 }], channelFlags };
  assert.equal(await cells(few, ...at(2, 3, 4, 5)), [[[[], ["1+"]]], [[[], ["3"]]], [[[], ["2+"]]], [[[], ["null+"]]]]);
});

for (const [days, now, shown, said] of [
  [174, "2026-08-21", "101", []],
  [175, "2026-08-22", "101", []],
  [176, "2026-08-23", "null+", tooOld],
] as const) {
  masking(
    `${shown === "101" ? "shows" : "leaves out, saying so,"} a network's installs of ${days} days ago`,
    async () => {
      // February is large enough: 28 of its days ago.
      const date = "2026-02-28";
      const advertised = {
        touchpoints: times(1_001, { ...impression, date }),
        appEvents: times(101, { ...ofTwitter, date }),
      };
      const question = {
        ...ask({ from: date, to: date, metrics: ["app_installs"] }),
        now: new Date(`${now}T14:59:59Z`),
      };
      assert.equal(await cells(advertised, question), [[[[], [shown]]]]);
      assert.equal(await codes(advertised, question), [said]);
      const channels = {
        ...advertised,
        channelFlags: [{ channel: "twitter", selfAttributing: false, from: 1, to: null }],
      };
      assert.equal(await cells(channels, question), [[[[], ["101"]]]]);
      // A second later it is the next day in Seoul.
      const later = { ...question, now: new Date(`${now}T15:00:00Z`) };
      assert.equal(await cells(advertised, later), [[[[], [days === 174 ? "101" : "null+"]]]]);
    },
  );
}

masking("says both when some is too old and some of a small month", async () => {
  const advertised = { touchpoints: [click, { ...click, date: "2026-03-09" }, { ...partners, date: "2026-03-09" }] };
  const question = { ...ask({ ...byDate, metrics: ["clicks"] }), now: new Date("2026-09-01T00:00:00Z") };
  assert.equal(await cells(advertised, question), [
    [
      [["2026-03-09"], ["1+"]],
      [["2026-03-10"], ["null+"]],
    ],
  ]);
  assert.equal(await codes(advertised, question, { ...question, query: { ...question.query, to: "2026-03-09" } }), [
    [...masked, ...tooOld],
    tooOld,
  ]);
});

masking("says nothing when no cell has lost anything", async () => {
  const advertised = { touchpoints: [click, partners], appEvents: [{ ...ofTwitter, category: "app_open" }] };
  const filters = [{ dimension: "channel", filterType: "IN" as const, values: ["partner"] }];
  const questions = [ask({ metrics: ["clicks"], filters }), ask({ metrics: ["app_installs"] })];
  assert.equal(await cells(advertised, ...questions), [[[[], ["1"]]], [[[], ["0"]]]]);
  assert.equal(await codes(advertised, ...questions), [[], []]);
});

masking("stands beside what a media partner may not see", async () => {
  const advertised = { touchpoints: [click, partners], appEvents: [ofTwitter, unattributed] };
  const question = { ...ask({ ...byChannel, metrics: ["clicks", "app_installs"] }), onlyChannels: ["twitter"] };
  assert.equal(await cells(advertised, question), [[[["twitter"], ["null+", "null+"]]]]);
  assert.equal(await codes(advertised, question), [["MEDIA_PARTNER_DATA_FILTERED_BY_CHANNEL", ...masked]]);
});

masking("names no exchange rate for amounts that are withheld", async () => {
  const foreign = { ...tweeted, currency: "EUR", cents: 100 };
  const question = ask({ metrics: ["app_revenue"] });
  assert.equal(await codes({ appEvents: [foreign, order] }, question), [masked]);
  const lost = { ...order, currency: "GBP", cents: 100 };
  assert.equal(await cells({ appEvents: [foreign, order, lost] }, question), [[[[], ["0.1+"]]]]);
  assert.equal(await cells({ appEvents: [foreign, lost] }, question), [[[[], ["null+"]]]]);
  const [result] = await facts.answer({ appEvents: [foreign, order, lost] }, question);
  assert.equal(result?.notifications.map(({ code, message }) => [code, message.split(": ")[1]]).at(-1), [
    "EXCHANGE_RATE_MISSING",
    "GBP (2026-03-01).",
  ]);
});

masking("sorts by what is shown", async () => {
  const campaign = (name: string | null) => ({ ...twitter, campaign: name });
  const touchpoints = [
    ...times(9, { ...click, source: campaign("a") }),
    ...times(2, { ...partners, source: { ...spring, campaign: "b" } }),
    ...times(3, { ...partners, source: { ...spring, campaign: "c" } }),
    ...times(7, { ...click, source: campaign("c") }),
  ];
  assert.equal(await cells({ touchpoints }, ask({ groupBys: ["campaign"] })), [
    [
      [["c"], ["3+"]],
      [["b"], ["2"]],
      [["a"], ["null+"]],
    ],
  ]);
});

masking.run();
