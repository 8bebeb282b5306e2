import { suite } from "uvu";
import * as assert from "uvu/assert";
import { click, impression, listedMonths, ofTwitter, tiktok, times } from "../masking/networks.ts";
import type { SomeFacts } from "../report-facts.ts";
import { ask, cellsOf, install, openFacts, order, spring } from "./advertising.ts";
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

for (const [metric, changes] of [
  ["app_first_installs", { isFirstOfDevice: false }],
  ["app_revenue", { category: "app_order_complete", cents: null }],
] as const) {
  masking(`names no channel-month from which ${metric} counts nothing`, async () => {
    const order = { ...ofTwitter, category: "app_order_complete", cents: 100 };
    const ofTiktok = { label: { source: tiktok, kind: "click" }, date: "2026-04-02" } as const;
    const result = await facts.answerOne(
      { appEvents: [ofTwitter, order, { ...ofTwitter, ...ofTiktok, ...changes }] },
      ask({ metrics: [metric], to: "2026-04-30" }),
    );
    assert.equal(listedMonths(result), ["twitter 2026-03"]);
  });
}

masking("names the channel-months with withheld facts", async () => {
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

masking("names no channel-month whose withheld facts are only too old", async () => {
  const february = { ...click, date: "2026-02-28" };
  const question = { ...ask({ metrics: ["clicks"], from: "2026-02-01" }), now: new Date("2026-09-01T00:00:00Z") };
  const result = await facts.answerOne({ touchpoints: [february, click, partners] }, question);
  assert.equal(
    result.notifications.map(({ code }) => code),
    [...masked, "SAN_PERIOD_LIMIT"],
  );
  assert.equal(listedMonths(result), ["twitter 2026-03"]);
});

masking("does not notify when nothing is excluded from any cell", async () => {
  const advertised = { touchpoints: [click, partners], appEvents: [{ ...ofTwitter, category: "app_open" }] };
  const filters = [{ dimension: "channel", filterType: "IN" as const, values: ["partner"] }];
  const questions = [ask({ metrics: ["clicks"], filters }), ask({ metrics: ["app_installs"] })];
  assert.equal(await cells(advertised, ...questions), [[[[], ["1"]]], [[[], ["0"]]]]);
  assert.equal(await codes(advertised, ...questions), [[], []]);
});

masking("adds to the limits of a media partner", async () => {
  const advertised = { touchpoints: [click, partners], appEvents: [ofTwitter, unattributed] };
  const question = { ...ask({ ...byChannel, metrics: ["clicks", "app_installs"] }), onlyChannels: ["twitter"] };
  assert.equal(await cells(advertised, question), [[[["twitter"], ["null+", "null+"]]]]);
  assert.equal(await codes(advertised, question), [["MEDIA_PARTNER_DATA_FILTERED_BY_CHANNEL", ...masked]]);
});

masking("names no exchange rate for amounts that are withheld", async () => {
  const foreign = { ...tweeted, currency: "EUR", cents: 100 };
  const question = ask({ metrics: ["app_revenue"] });
  assert.equal(await codes({ appEvents: [foreign, order] }, question), [masked]);
  const unconverted = { ...order, currency: "GBP", cents: 100 };
  assert.equal(await cells({ appEvents: [foreign, order, unconverted] }, question), [[[[], ["0.1+"]]]]);
  assert.equal(await cells({ appEvents: [foreign, unconverted] }, question), [[[[], ["null+"]]]]);
  const [result] = await facts.answer({ appEvents: [foreign, order, unconverted] }, question);
  assert.equal(result?.notifications.map(({ code, params }) => [code, params]).at(-1), [
    "EXCHANGE_RATE_MISSING",
    { rates: "GBP (2026-03-01)" },
  ]);
});

masking("counts the 175 days by the dates of the app's time zone", async () => {
  const date = "2026-02-28";
  const advertised = {
    touchpoints: times(1_001, { ...impression, date }),
    appEvents: times(101, { ...ofTwitter, date }),
  };
  const question = ask({ from: date, to: date, metrics: ["app_installs"] });
  const lastMoment = { ...question, now: new Date("2026-08-22T14:59:59Z") };
  const nextDay = { ...question, now: new Date("2026-08-22T15:00:00Z") };
  assert.equal(await cells(advertised, lastMoment, nextDay), [[[[], ["101"]]], [[[], ["null+"]]]]);
  assert.equal(await codes(advertised, lastMoment, nextDay), [[], ["SAN_PERIOD_LIMIT"]]);
});

masking("notifies of both when some is too old and some of a small month", async () => {
  const touchpoints = [click, { ...click, date: "2026-03-09" }, partners];
  const question = { ...ask({ metrics: ["clicks"] }), now: new Date("2026-09-01T00:00:00Z") };
  const onlyOld = { ...question, query: { ...question.query, to: "2026-03-09" } };
  assert.equal(await codes({ touchpoints }, question, onlyOld), [
    [...masked, "SAN_PERIOD_LIMIT"],
    ["SAN_PERIOD_LIMIT"],
  ]);
});

masking.run();
