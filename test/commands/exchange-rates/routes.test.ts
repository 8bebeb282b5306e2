import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exchangeRatesStream } from "../../../domain/streams.ts";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import type { Answer } from "../../support/client.ts";

let application: Administration;
const rates = suite("exchange rates over HTTP");
rates.before.each(async () => {
  application = await startAdministration();
});
rates.after.each(() => application.close());

const put = (date: string, body: unknown, token = adminToken): Promise<Answer> =>
  application.call("PUT", `/admin/v1/exchange-rates/${date}`, { token, body });
const eventsOf = async (date: string): Promise<readonly unknown[]> => {
  const events = [];
  for await (const { type, data } of application.log.read(exchangeRatesStream(date))) events.push({ type, data });
  return events;
};
const faultsOf = ({ status, json }: Answer): unknown => {
  const { errors } = json as { errors?: readonly { readonly loc: unknown; readonly type: string }[] };
  return [status, errors?.map(({ loc, type }) => [loc, type])];
};

rates("are stored for a date as exact decimals", async () => {
  const body = '{"base":"USD","rates":{"EUR":0.92,"KRW":1.3805e3,"BHD":0.376,"VND":26000.000000000004,"CLF":1e-7}}';
  const answer = await put("2026-03-30", body);
  const data = { date: "2026-03-30", base: "USD", rates: JSON.parse(body).rates };
  assert.equal([answer.status, answer.json], [200, { data }]);
  assert.match(String(answer.headers["x-log-position"]), /^\d+$/);
  assert.equal(await eventsOf("2026-03-30"), [
    {
      type: "ExchangeRatesSet",
      data: {
        date: "2026-03-30",
        base: "USD",
        rates: { EUR: "0.92", KRW: "1380.5", BHD: "0.376", VND: "26000.000000000004", CLF: "0.0000001" },
      },
    },
  ]);
});

rates("append an event only when they change", async () => {
  const first = await put("2026-03-30", { base: "USD", rates: { EUR: 0.92, KRW: 1380 } });
  const again = await put("2026-03-30", { base: "USD", rates: { KRW: 1380, USD: 1, EUR: 0.92 } });
  assert.equal(again.status, 200);
  assert.is(again.headers["x-log-position"], first.headers["x-log-position"]);
  assert.is((await eventsOf("2026-03-30")).length, 1);
  await put("2026-03-30", { base: "USD", rates: { EUR: 0.92 } });
  assert.is((await eventsOf("2026-03-30")).length, 2);
});

const putAll = (dates: object): Promise<Answer> =>
  application.call("PUT", "/admin/v1/exchange-rates", { token: adminToken, body: { dates } });
const usd = (EUR: number) => ({ base: "USD", rates: { EUR } });

rates("may be set for 1 to 400 dates at once", async () => {
  const datesOf = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [addDays("2024-01-01", index), usd(0.92)]));
  assert.equal(faultsOf(await putAll({})), [400, [[["body", "dates"], "too_short"]]]);
  assert.equal(faultsOf(await putAll(datesOf(401))), [400, [[["body", "dates"], "too_long"]]]);
  assert.equal(await eventsOf("2024-01-01"), []);
  for (const count of [399, 400]) {
    const { status, json } = await putAll(datesOf(count));
    assert.equal([status, json], [200, { data: { dates: datesOf(count) } }]);
    assert.is((await eventsOf(addDays("2024-01-01", count - 1))).length, 1);
  }
  assert.is((await eventsOf("2024-01-01")).length, 1);
});

rates("of many dates are all refused for the faults of some", async () => {
  const dates = { "2026-03-01": usd(0.92), "2026-02-30": usd(1), "2026-03-02": { base: "USD", rates: { USD: 1 } } };
  assert.equal(faultsOf(await putAll(dates)), [
    400,
    [
      [["body", "dates", "2026-02-30"], "exchange_rate_date_not_allowed"],
      [["body", "dates", "2026-03-02", "rates"], "exchange_rate_not_allowed"],
    ],
  ]);
  assert.equal(await eventsOf("2026-03-01"), []);
});

rates("may be set for dates from 2000-01-01 to tomorrow", async () => {
  const body = { base: "USD", rates: { EUR: 0.92 } };
  const tomorrow = addDays(localDate("Etc/UTC", Date.now()), 1);
  for (const date of ["2000-01-01", tomorrow]) assert.is((await put(date, body)).status, 200, date);
  const refused = [400, [[["path", "date"], "exchange_rate_date_not_allowed"]]];
  for (const date of ["1999-12-31", addDays(tomorrow, 2), "2026-02-30", "20260301", "today", "9".repeat(5_000)]) {
    assert.equal(faultsOf(await put(date, body)), refused, date);
  }
  assert.is((await put("%00", body)).status, 400);
});

rates("are rejected with the field at fault", async () => {
  const eur = { EUR: 0.92 };
  const cases: readonly (readonly [unknown, readonly (string | number)[], string])[] = [
    [{ rates: eur }, ["body", "base"], "missing"],
    [{ base: "USD" }, ["body", "rates"], "missing"],
    [{ base: "USD", rates: eur, more: 1 }, ["body", "more"], "unknown_field"],
    [{ base: "usd", rates: eur }, ["body", "base"], "wrong_format"],
    [{ base: "USD", rates: {} }, ["body", "rates"], "too_short"],
    [{ base: "USD", rates: [] }, ["body", "rates"], "wrong_type"],
    [{ base: "USD", rates: { EUR: 0 } }, ["body", "rates", "EUR"], "out_of_range"],
    [{ base: "USD", rates: { EUR: -1 } }, ["body", "rates", "EUR"], "out_of_range"],
    [{ base: "USD", rates: { EUR: "0.92" } }, ["body", "rates", "EUR"], "wrong_type"],
    ['{"base":"USD","rates":{"EUR":1e400}}', ["body", "rates", "EUR"], "out_of_range"],
    ['{"base":"USD","rates":{"EUR":1e-400}}', ["body", "rates", "EUR"], "out_of_range"],
    [{ base: "USD", rates: { USD: 1.1, EUR: 1 } }, ["body", "rates", "USD"], "exchange_rate_not_allowed"],
    [{ base: "USD", rates: { USD: 1 } }, ["body", "rates"], "exchange_rate_not_allowed"],
  ];
  for (const [body, loc, type] of cases) {
    assert.equal(faultsOf(await put("2026-03-30", body)), [400, [[loc, type]]], JSON.stringify(body));
  }
  for (const code of ["eur", "XXX", "EURO", "__proto__", "toString"]) {
    const answer = await put("2026-03-30", `{"base":"USD","rates":{"${code}":1}}`);
    assert.is(answer.status, 400, code);
  }
  assert.equal(await eventsOf("2026-03-30"), []);
});

rates.run();
