import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ReportNotification } from "../../../../domain/report-tasks/events.ts";
import type { SomeFacts } from "../report-facts.ts";
import { ask, cellsOf, openFacts, order, ratesOf, spend, visits } from "./advertising.ts";
import type { ReferenceQuestion } from "./reference.ts";

const facts = await openFacts();
const values = async (advertised: SomeFacts, ...questions: readonly ReferenceQuestion[]) =>
  (await facts.answer(advertised, ...questions)).map((result) => cellsOf(result).map(([, shown]) => shown));
const missingRates = ({ notifications }: { readonly notifications: readonly ReportNotification[] }) =>
  notifications.map(({ params }) => params?.rates);

const euros = { ...spend, currency: "EUR", cents: 1000 };
const dollars = { ...spend, currency: "USD", cents: 1000 };
/** 1 USD = 1,300 KRW = 0.8 EUR. */
const rates = ratesOf("2026-03-01", "USD", { KRW: "1300", EUR: "0.8" });

const converting = suite("amounts in other currencies");
converting.after(() => facts.close());

converting("are converted to the app's: spend, orders, uploaded metrics and ratios of them", async () => {
  const advertised = {
    appEvents: [order, { ...order, currency: "EUR", cents: 800 }, { ...order, category: "app_install", cents: null }],
    uploads: {
      rates,
      spend: [euros, dollars, spend],
      uploadedMetrics: [
        { ...visits, currency: "EUR", cents: 80 },
        { ...visits, currency: null, cents: 5 },
      ],
    },
  };
  const metrics = ["cost_channel", "app_revenue", "app_event_value", "Store visits", "cpi", "cpc", "roas"];
  assert.equal(await values(advertised, ask({ metrics })), [
    // 10 EUR = 16,250 KRW, 10 USD = 13,000 KRW, 8 EUR = 13,000 KRW, 0.8 EUR = 1,300 KRW.
    [
      [
        "29300",
        "13000.1",
        "13000.1",
        "1300.05",
        "29300",
        "244.166666666666666666666666666667",
        "44.368941979522184300341296928328",
      ],
    ],
  ]);
});

converting("need no rate when they are in the app's currency, whatever that is", async () => {
  const question = { ...ask({ metrics: ["cost_channel"] }), currency: "EUR" };
  assert.equal(await values({ uploads: { spend: [euros] } }, question), [[["10"]]]);
  assert.equal(await values({ uploads: { rates, spend: [euros, dollars, spend] } }, question), [
    // 10 USD = 8 EUR; 50 KRW = 0.0307... EUR.
    [["18.03076923076923076923"]],
  ]);
});

converting("take the latest earlier rate of each of the two currencies: sets of rates may be partial", async () => {
  const spent = ["2026-03-01", "2026-03-04", "2026-03-05", "2026-03-06"].map((date) => {
    return { ...spend, date, currency: "SEK", cents: 10_000 };
  });
  const question = {
    ...ask({ groupBys: ["event_date"], metrics: ["cost_channel"], from: "2026-03-01", to: "2026-03-06" }),
    currency: "CHF",
  };
  const sorted = { ...question, query: { ...question.query, sorts: [{ fieldName: "event_date", isAscending: true }] } };
  const krona = ratesOf("2026-03-05", "USD", { SEK: "20" });
  const whole = [...ratesOf("2026-03-01", "USD", { CHF: "0.8", SEK: "10" }), ...krona];
  const apart = [...ratesOf("2026-03-01", "USD", { CHF: "0.8" }), ...krona];
  assert.equal(await values({ uploads: { rates: whole, spend: spent } }, sorted), [[["8"], ["8"], ["4"], ["4"]]]);
  assert.equal(await values({ uploads: { rates: apart, spend: spent } }, sorted), [
    [["null+"], ["null+"], ["4"], ["4"]],
  ]);
});

converting("without a rate are left out, and named with their dates", async () => {
  const advertised = {
    appEvents: [{ ...order, currency: "GBP", date: "2026-03-02" }],
    uploads: {
      rates,
      spend: [spend, euros, { ...euros, currency: "JPY" }, { ...euros, currency: "JPY", date: "2026-03-02" }],
      uploadedMetrics: [{ ...visits, currency: "JPY", date: "2026-03-04" }],
    },
  };
  const sorts = [{ fieldName: "event_date", isAscending: true }];
  const metrics = ["cost_channel", "cpc", "roas", "Store visits"];
  const question = ask({ groupBys: ["event_date"], metrics, sorts });
  const [result] = await facts.answer(advertised, question);
  assert.equal(result && cellsOf(result), [
    [["2026-03-01"], ["16300+", "135.833333333333333333333333333333+", "0+", "0"]],
    [["2026-03-02"], ["null+", "null+", "null+", "0"]],
    [["2026-03-04"], ["0", null, null, "null+"]],
  ]);
  assert.equal(result && missingRates(result), ["GBP (2026-03-02); JPY (2026-03-01 – 2026-03-02, 2026-03-04)"]);
});

converting("are named only if the report needs them", async () => {
  const unconverted = { ...euros, currency: "JPY" };
  const uploads = { spend: [unconverted], uploadedMetrics: [{ ...visits, currency: "GBP" }] };
  const requested = [["clicks_channel"], ["cost_channel"], ["Store visits"], ["Leads"]];
  const results = await facts.answer({ uploads }, ...requested.map((metrics) => ask({ metrics })));
  assert.equal(results.map(missingRates), [[], ["JPY (2026-03-01)"], ["GBP (2026-03-01)"], []]);
});

converting.run();
