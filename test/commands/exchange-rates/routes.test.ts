import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exchangeRatesStream } from "../../../domain/streams.ts";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import type { Answer } from "../../support/raw-client.ts";
import { errorsOf, type ShortFault } from "../../support/short-faults.ts";

let application: Administration;
const rates = suite("exchange rates over HTTP");
rates.before(async () => {
  application = await startAdministration();
});
rates.after(() => application.close());

const put = (date: string, body: unknown): Promise<Answer> =>
  application.call("PUT", `/admin/v1/exchange-rates/${date}`, { token: adminToken, body });
const putAll = (dates: object): Promise<Answer> =>
  application.call("PUT", "/admin/v1/exchange-rates", { token: adminToken, body: { dates } });
const eventsOf = (date: string) => application.facts(exchangeRatesStream(date));
function assertRefused(answer: Answer, errors: readonly ShortFault[], message?: string): void {
  assert.equal([answer.status, errorsOf(answer)], [400, errors], message);
}

const eur = { EUR: 0.92 };
const usd = { base: "USD", rates: eur };

rates("are stored for a date as exact decimals", async () => {
  const body = '{"base":"USD","rates":{"EUR":0.92,"KRW":1.3805e3,"BHD":0.376,"VND":26000.000000000004,"CLF":1e-7}}';
  const answer = await put("2026-03-30", body);
  const data = { date: "2026-03-30", base: "USD", rates: JSON.parse(body).rates };
  assert.equal([answer.status, answer.json], [200, { data }]);
  assert.match(String(answer.headers["x-log-position"]), /^\d+$/);
  const decimals = { EUR: "0.92", KRW: "1380.5", BHD: "0.376", VND: "26000.000000000004", CLF: "0.0000001" };
  assert.equal(await eventsOf("2026-03-30"), [{ type: "ExchangeRatesSet", data: { ...data, rates: decimals } }]);
});

rates("append an event only when they change", async () => {
  const first = await put("2026-03-29", { base: "USD", rates: { EUR: 0.92, KRW: 1380 } });
  const again = await put("2026-03-29", { base: "USD", rates: { KRW: 1380, USD: 1, EUR: 0.92 } });
  assert.equal([again.status, again.headers["x-log-position"]], [200, first.headers["x-log-position"]]);
  assert.is((await eventsOf("2026-03-29")).length, 1);
  await put("2026-03-29", usd);
  assert.is((await eventsOf("2026-03-29")).length, 2);
});

rates("may be set for 1 to 400 dates at once", async () => {
  const datesOf = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [addDays("2024-01-01", index), usd]));
  assertRefused(await putAll({}), [["body", "dates", "too_short"]]);
  assertRefused(await putAll(datesOf(401)), [["body", "dates", "too_long"]]);
  assert.equal(await eventsOf("2024-01-01"), []);
  for (const count of [399, 400]) {
    const { status, json } = await putAll(datesOf(count));
    assert.equal([status, json], [200, { data: { dates: datesOf(count) } }]);
    assert.is((await eventsOf(addDays("2024-01-01", count - 1))).length, 1);
  }
  assert.is((await eventsOf("2024-01-01")).length, 1);
});

rates("of many dates have no other fields, neither beside the dates nor in one", async () => {
  const dates = { "2026-03-03": { ...usd, more: 1 } };
  const answer = await application.call("PUT", "/admin/v1/exchange-rates", {
    token: adminToken,
    body: { dates, base: "USD" },
  });
  assertRefused(answer, [
    ["body", "base", "unknown_field"],
    ["body", "dates", "2026-03-03", "more", "unknown_field"],
  ]);
  assert.equal(await eventsOf("2026-03-03"), []);
});

rates("of many dates have the latest of their positions, in whatever order they are set", async () => {
  await put("2026-03-27", usd);
  const answer = await putAll({ "2026-03-26": usd, "2026-03-27": usd });
  const newest = await put("2026-03-26", usd);
  assert.equal([answer.status, answer.headers["x-log-position"]], [200, newest.headers["x-log-position"]]);
});

rates("of many dates are all refused for the faults of some", async () => {
  const dates = { "2026-03-01": usd, "2026-02-30": usd, "2026-03-02": { base: "USD", rates: { USD: 1 } } };
  assertRefused(await putAll(dates), [
    ["body", "dates", "2026-02-30", "exchange_rate_date_not_allowed"],
    ["body", "dates", "2026-03-02", "rates", "exchange_rate_not_allowed"],
  ]);
  assert.equal(await eventsOf("2026-03-01"), []);
});

rates("may be set for dates from 2000-01-01 to tomorrow", async () => {
  const tomorrow = addDays(localDate("Etc/UTC", Date.now()), 1);
  for (const date of ["2000-01-01", tomorrow]) assert.is((await put(date, usd)).status, 200, date);
  for (const date of ["1999-12-31", addDays(tomorrow, 2), "2026-02-30", "20260301", "today", "9".repeat(5_000)]) {
    assertRefused(await put(date, usd), [["path", "date", "exchange_rate_date_not_allowed"]], date);
  }
  assert.is((await put("%00", usd)).status, 400);
});

rates("are from 1e-12 to 1e12", async () => {
  for (const rate of [1e-12, 1.01e-12, 0.99e12, 1e12]) {
    assert.is((await put("2026-03-20", { base: "USD", rates: { EUR: rate } })).status, 200, String(rate));
  }
});

rates("are rejected with the field at fault", async () => {
  const cases: readonly (readonly [body: unknown, ...error: ShortFault])[] = [
    [{ rates: eur }, "base", "missing"],
    [{ base: "USD" }, "rates", "missing"],
    [{ base: "USD", rates: eur, more: 1 }, "more", "unknown_field"],
    [{ base: "usd", rates: eur }, "base", "wrong_format"],
    [{ base: "USD", rates: {} }, "rates", "too_short"],
    [{ base: "USD", rates: [] }, "rates", "wrong_type"],
    [{ base: "USD", rates: { EUR: 0 } }, "rates", "EUR", "out_of_range"],
    [{ base: "USD", rates: { EUR: -1 } }, "rates", "EUR", "out_of_range"],
    [{ base: "USD", rates: { EUR: 0.99e-12 } }, "rates", "EUR", "out_of_range"],
    [{ base: "USD", rates: { EUR: 1.01e12 } }, "rates", "EUR", "out_of_range"],
    [{ base: "USD", rates: { EUR: "0.92" } }, "rates", "EUR", "wrong_type"],
    ['{"base":"USD","rates":{"EUR":1e400}}', "rates", "EUR", "out_of_range"],
    ['{"base":"USD","rates":{"EUR":1e-400}}', "rates", "EUR", "out_of_range"],
    [{ base: "USD", rates: { USD: 1.1, EUR: 1 } }, "rates", "USD", "exchange_rate_not_allowed"],
    [{ base: "USD", rates: { USD: 1 } }, "rates", "exchange_rate_not_allowed"],
  ];
  for (const [body, ...error] of cases) {
    assertRefused(await put("2026-03-28", body), [["body", ...error]], JSON.stringify(body));
  }
  for (const code of ["eur", "XXX", "EURO", "__proto__", "toString"]) {
    assert.is((await put("2026-03-28", `{"base":"USD","rates":{"${code}":1}}`)).status, 400, code);
  }
  assert.equal(await eventsOf("2026-03-28"), []);
});

rates.run();
