import { suite } from "uvu";
import * as assert from "uvu/assert";
import { click, impression, listedMonths, ofTwitter, tiktok, times, twitter } from "../masking/networks.ts";
import type { SomeFacts } from "../report-facts.ts";
import { ask, cellsOf, install, openFacts, order, spend, spring } from "./advertising.ts";
import type { ReferenceQuestion } from "./reference.ts";

const facts = await openFacts();
const cells = async (advertised: SomeFacts, ...questions: readonly ReferenceQuestion[]) =>
  (await facts.answer(advertised, ...questions)).map(cellsOf);
const codes = async (advertised: SomeFacts, ...questions: readonly ReferenceQuestion[]) =>
  (await facts.answer(advertised, ...questions)).map(({ notifications }) => notifications.map(({ code }) => code));

const partners = { ...click, source: spring };
const unattributed = { ...install, label: null };
const tweeted = { ...order, label: ofTwitter.label };
const byChannel = { groupBys: ["channel"], sorts: [{ fieldName: "channel", isAscending: true }] };
const byDate = { groupBys: ["event_date"], sorts: [{ fieldName: "event_date", isAscending: true }] };
const masked = ["AGG_DATA_MASKING_BY_PARTNER"];

const masking = suite("masking in an actuals report");
masking.after(() => facts.close());

masking("leaves a small month of a network out of counts and totals, and notifies", async () => {
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

masking("names the channel-months of which the report left something out", async () => {
  const april = { date: "2026-04-02" };
  const ofTiktok = { source: tiktok, kind: "click" } as const;
  const advertised = {
    touchpoints: [click, { ...click, ...april }, { ...partners, ...april }],
    appEvents: [ofTwitter, { ...ofTwitter, ...april, label: ofTiktok }],
  };
  const both = ask({ metrics: ["clicks", "app_installs"], to: "2026-04-30" });
  const inApril = { ...both, query: { ...both.query, from: "2026-04-01" } };
  const ofTwitterAlone = {
    ...both,
    query: {
      ...both.query,
      filters: [{ dimension: "channel", filterType: "IN", values: ["twitter", "partner"] }] as const,
    },
  };
  const installs = { ...both, query: { ...both.query, metrics: ["app_installs"] } };
  const ofPartner = { ...both, onlyChannels: ["tiktok", "partner"] };
  const shown = { ...both, onlyChannels: ["partner"] };
  const answers = await facts.answer(advertised, both, inApril, ofTwitterAlone, installs, ofPartner, shown);
  assert.equal(answers.map(listedMonths), [
    ["twitter 2026-03", "tiktok 2026-04", "twitter 2026-04"],
    ["tiktok 2026-04", "twitter 2026-04"],
    ["twitter 2026-03", "twitter 2026-04"],
    ["twitter 2026-03", "tiktok 2026-04"],
    ["tiktok 2026-04"],
    undefined,
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
      [["partner"], ["0", "0", "0", null, null]],
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
      [["2026-03-03"], ["0+", "0+"]],
      [["2026-03-04"], ["1+", "1+"]],
      [[null], ["null+", "null+"]],
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

masking("does not notify when no cell has lost anything", async () => {
  const advertised = { touchpoints: [click, partners], appEvents: [{ ...ofTwitter, category: "app_open" }] };
  const filters = [{ dimension: "channel", filterType: "IN" as const, values: ["partner"] }];
  const questions = [ask({ metrics: ["clicks"], filters }), ask({ metrics: ["app_installs"] })];
  assert.equal(await cells(advertised, ...questions), [[[[], ["1"]]], [[[], ["0"]]]]);
  assert.equal(await codes(advertised, ...questions), [[], []]);
});

masking("adds to what a media partner may not see", async () => {
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
  assert.equal(result?.notifications.map(({ code, params }) => [code, params]).at(-1), [
    "EXCHANGE_RATE_MISSING",
    { rates: "GBP (2026-03-01)" },
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
      [[null], ["null+"]],
    ],
  ]);
});

masking("answers rows of which nothing is left as one, by their channel and month alone", async () => {
  const named = (name: string, date: string) => ({ ...click, date, source: { ...twitter, campaign: name } });
  const touchpoints = [named("a", "2026-03-10"), named("b", "2026-03-11"), named("c", "2026-04-01"), partners];
  const groupBys = ["campaign", "channel", "channel_type", "event_date", "event_month", "event_year"];
  assert.equal(await cells({ touchpoints }, ask({ to: "2026-04-05", groupBys })), [
    [
      [["spring", "partner", "custom", "2026-03-10", "2026-03", "2026"], ["1"]],
      [[null, "twitter", "integrated", null, "2026-03", "2026"], ["null+"]],
      [[null, "twitter", "integrated", null, "2026-04", "2026"], ["null+"]],
    ],
  ]);
});

masking("marks a row that has the group-by values of those of which nothing is left", async () => {
  const touchpoints = [click, { ...partners, source: { ...twitter, channel: "kakao", campaign: null } }];
  assert.equal(await cells({ touchpoints }, ask({ groupBys: ["campaign"] })), [[[[null], ["1+"]]]]);
});

masking.run();
