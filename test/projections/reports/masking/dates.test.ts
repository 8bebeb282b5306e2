import { suite } from "uvu";
import * as assert from "uvu/assert";
import { tooOld, withheldMonths } from "../../../../domain/reporting/notifications.ts";
import { ask, cellsOf, install, openFacts, order, spring } from "../actuals/advertising.ts";
import type { ReferenceQuestion } from "../actuals/reference.ts";
import type { SomeFacts } from "../report-facts.ts";
import { click, enough, impression, ofTwitter, times } from "./networks.ts";

const facts = await openFacts();
const cells = async (advertised: SomeFacts, ...questions: readonly ReferenceQuestion[]) =>
  (await facts.answer(advertised, ...questions)).map(cellsOf);
const told = async (advertised: SomeFacts, ...questions: readonly ReferenceQuestion[]) =>
  (await facts.answer(advertised, ...questions)).map(({ notifications }) => notifications);

const partners = { ...click, source: spring };
const tweeted = { ...order, label: ofTwitter.label };
const byDate = { groupBys: ["event_date"], sorts: [{ fieldName: "event_date", isAscending: true }] };

const masking = suite("when data of a network are withheld in an actuals report");
masking.after(() => facts.close());

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

masking("goes by the whole month when only a part of it is requested, filtered or grouped", async () => {
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
    [[[null], ["null+"]]],
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
  assert.equal(await told(advertised, lastMoment, nextDay), [[], [tooOld]]);
});

masking("says both when some is too old and some of a small month", async () => {
  const advertised = { touchpoints: [click, { ...click, date: "2026-03-09" }, { ...partners, date: "2026-03-09" }] };
  const question = { ...ask({ ...byDate, metrics: ["clicks"] }), now: new Date("2026-09-01T00:00:00Z") };
  assert.equal(await cells(advertised, question), [
    [
      [["2026-03-09"], ["1+"]],
      [[null], ["null+"]],
    ],
  ]);
  assert.equal(await told(advertised, question, { ...question, query: { ...question.query, to: "2026-03-09" } }), [
    [withheldMonths([{ channel: "twitter", month: "2026-03" }]), tooOld],
    [tooOld],
  ]);
});

masking.run();
