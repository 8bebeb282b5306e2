// time limit: 60 s
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { GroupByKey } from "../../../../domain/reporting/catalogue/group-bys.ts";
import type { ValuesQuery } from "../../../../domain/reporting/values/query.ts";
import { type ValuesScope, valuesInTime } from "../../../../projections/reports/values/select-values.ts";
import { install, spring } from "../actuals/advertising.ts";
import { someGroupBys } from "../actuals/generated.ts";
import { dates, someFacts } from "../actuals/generated-facts.ts";
import { factsInQuestion, type ReferenceQuestion } from "../actuals/reference.ts";
import { type Fact, groupValueOf } from "../actuals/reference-values.ts";
import { withholding } from "../actuals/reference-withheld.ts";
import { aggregateDays, noteChangedDays } from "../aggregate-days.ts";
import type { AppEvent, Facts } from "../facts.ts";
import { openReportFacts, reportScope } from "../report-facts.ts";
import { noUploads } from "../uploads.ts";

type Question = ValuesScope & ValuesQuery;

const { position: _, ...scope } = reportScope;
const facts = await openReportFacts((readModel, { field, prefix, from, to, ...of }: Question, limits) =>
  valuesInTime(readModel, of, { field, prefix, from, to }, limits),
);
const values = suite("the values of a field");
values.after(() => facts.close());

const ask = (field: GroupByKey, more: Partial<Question> = {}): Question => {
  const march = { from: "2026-03-01", to: "2026-03-31" };
  return { ...scope, now: new Date("2026-04-01T00:00:00Z"), field, prefix: "", ...march, ...more };
};
const dateFields = ["event_date", "event_year", "event_month", "event_week", "event_day_of_week", "event_hour"];
const fields = someGroupBys.filter((key) => !dateFields.includes(key));

/** Every value of the facts that a report over all that happened shows. */
function expectedValues(written: Facts, { field, prefix, from, to, onlyChannels, now }: Question): readonly string[] {
  const query = { from, to, groupBys: [field], metrics: [], filters: [], sorts: [] };
  const question: ReferenceQuestion = { appId: 1, currency: "KRW", query, onlyChannels, position: 1_000, now };
  const isWithheld = withholding(written, question);
  const isOffered = (fact: Fact): boolean => {
    if (fact.is === "spend") return fact.of.impressions !== 0 || fact.of.clicks !== 0 || fact.of.cents !== 0;
    return fact.is !== "uploaded" && !isWithheld(fact);
  };
  const found = factsInQuestion(written, question)
    .filter(isOffered)
    .map((fact) => groupValueOf(fact, field) ?? "");
  const matching = [...new Set(found)].filter((value) => value !== "" && value.startsWith(prefix));
  return matching.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

values("are those that a report shows, aggregated or not, for every field, prefix, and channel", async () => {
  const aQuestion = fc.record({
    prefix: fc.oneof(fc.constant(""), fc.constantFrom("s", "k", "봄", "it's 100%", "%", "_", "\\", "K", "app_")),
    onlyChannels: fc.constantFrom(null, null, null, null, ["kakao"], ["twitter", "partner"], []),
    now: fc.constantFrom(new Date("2026-03-03T01:00:00Z"), new Date("2026-08-23T01:00:00Z")),
    first: fc.constantFrom(0, 0, 2),
    some: fc.shuffledSubarray(fields, { minLength: 14, maxLength: 14 }),
  });
  let found = 0;
  await fc.assert(
    fc.asyncProperty(someFacts, aQuestion, fc.boolean(), async (written, { first, some, ...drawn }, isCounted) => {
      const schema = await facts.write(written);
      if (isCounted) {
        await noteChangedDays(facts.db, schema);
        await aggregateDays(facts.db, schema, (date) => date < "2026-03-02");
      }
      for (const field of some) {
        const question = ask(field, { ...drawn, from: dates[first] ?? dates[0], to: dates[3] });
        const expected = expectedValues(written, question);
        found += expected.length;
        assert.equal(
          await facts.run(schema, question),
          { values: expected.slice(0, 100), hasNext: expected.length > 100 },
          JSON.stringify(question),
        );
      }
      facts.release(schema);
    }),
    { numRuns: 24, endOnFailure: true },
  );
  assert.ok(found > 100, `only ${found} values were compared`);
});

const ofCampaign = (campaign: string, more: Partial<AppEvent> = {}): AppEvent => {
  return { ...install, label: { source: { ...spring, campaign }, kind: "click" }, ...more };
};
const ofNetwork = (campaign: string): AppEvent =>
  ofCampaign(campaign, { label: { source: { ...spring, channel: "twitter", campaign }, kind: "click" } });

values("leave out values that exist only in withheld rows", async () => {
  const written = await facts.write({ appEvents: [ofCampaign("spring"), ofNetwork("spring"), ofNetwork("secret")] });
  assert.equal(await facts.run(written, ask("campaign")), { values: ["spring"], hasNext: false });
  assert.equal(await facts.run(written, ask("channel")), { values: ["partner"], hasNext: false });
});

values("leave out undecided events, which could yet be withheld", async () => {
  const client = { ...install.client, country: "DE" };
  const written = await facts.write({ appEvents: [install, { ...install, from: 5, label: null, client }] });
  const countries = () => facts.run(written, ask("country"));
  assert.equal((await countries())?.values, ["DE", "KR"]);
  await facts.db.raw(
    `insert into ${written}.open_targets (app_id, event_id, position)
     select app_id, event_id, from_position from ${written}.app_events where from_position = 5`,
  );
  assert.equal((await countries())?.values, ["KR"]);
});

values("leave out what follows a late touchpoint as long as the revision is due", async () => {
  const client = { ...install.client, country: "DE" };
  const written = await facts.write({ appEvents: [install, { ...install, from: 5, client }] });
  const countries = async () => (await facts.run(written, ask("country")))?.values;
  await facts.db.raw(
    `insert into ${written}.late_touchpoints (app_id, event_id, touchpoint_id, position, at, kind, matched_by, is_open)
     select app_id, event_id, event_id, 5, at, 'click', 'click_id', true from ${written}.app_events where from_position = 5`,
  );
  assert.equal(await countries(), ["KR"]);
  await facts.db.raw(`update ${written}.late_touchpoints set app_id = 2`);
  assert.equal(await countries(), ["DE", "KR"]);
  await facts.db.raw(`update ${written}.late_touchpoints set app_id = 1, is_open = false`);
  assert.equal(await countries(), ["DE", "KR"]);
});

for (const [count, hasNext] of [
  [99, false],
  [100, false],
  [101, true],
] as const) {
  values(`are the first 100 of ${count}, in order`, async () => {
    const names = Array.from({ length: count }, (_, index) => `campaign ${String(index).padStart(3, "0")}`);
    const appEvents = [...names].reverse().map((name, device) => ofCampaign(name, { device }));
    const answer = await facts.answerOne({ appEvents }, ask("campaign"));
    assert.equal(answer, { values: names.slice(0, 100), hasNext });
  });
}

values("of dates are those of the calendar, with or without facts", async () => {
  const schema = await facts.write({ uploads: noUploads });
  const week = { from: "2026-02-27", to: "2026-03-02" };
  const of = async (field: GroupByKey, prefix = "") =>
    (await facts.run(schema, ask(field, { ...week, prefix })))?.values;
  assert.equal(await of("event_date", "2026-03"), ["2026-03-01", "2026-03-02"]);
  assert.equal(await of("event_month"), ["2026-02", "2026-03"]);
  assert.equal(await of("event_year"), ["2026"]);
  assert.equal(await of("event_week"), ["2026-02-23", "2026-03-02"]);
  assert.equal(await of("event_day_of_week"), ["1", "5", "6", "7"]);
  assert.equal(await of("event_hour", "2"), ["20", "21", "22", "23"]);
});

values("are null when they take too long", async () => {
  const schema = await facts.write({ appEvents: [install] });
  await facts.db.transaction(async (trx) => {
    await trx.raw(`lock table ${schema}.app_events in access exclusive mode`);
    const { field, prefix, from, to, ...of } = ask("country");
    const query = { field, prefix, from, to };
    assert.is(await valuesInTime({ db: facts.db, schema }, of, query, { timeoutMs: 50 }), null);
  });
});

values.run();
