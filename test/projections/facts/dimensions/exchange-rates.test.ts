import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ExchangeRatesSet } from "../../../../domain/exchange-rates/events.ts";
import { inForce } from "../../../../projections/facts/table.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);

const set = (date: string, base: string, rates: ExchangeRatesSet["data"]["rates"]): ExchangeRatesSet => ({
  type: "ExchangeRatesSet",
  data: { date, base, rates },
});

const rates = suite("exchange rates");
rates.before.each(() => tables.clear());
rates.after(() => db.destroy());

rates("are in force from the position at which they were set, that of the base being 1", async () => {
  await tables.apply(recordedLog([set("2026-03-01", "USD", { EUR: "0.92", KRW: "1380.5" })]));
  const row = { date: "2026-03-01", base: "USD", from_position: 100n, to_position: inForce };
  assert.equal(await tables.rows("exchange_rates"), [
    { ...row, currency: "EUR", rate: "0.92" },
    { ...row, currency: "KRW", rate: "1380.5" },
    { ...row, currency: "USD", rate: "1" },
  ]);
});

rates("end when rates of their date are set again, also of currencies that are left out", async () => {
  await tables.apply(
    recordedLog([
      set("2026-03-01", "USD", { EUR: "0.92", KRW: "1380.5" }),
      set("2026-03-02", "USD", { EUR: "0.91" }),
      set("2026-03-01", "USD", { EUR: "0.93" }),
      set("2026-03-01", "EUR", { USD: "1.1" }),
    ]),
  );
  const columns = ["date", "currency", "base", "rate", "from_position", "to_position"];
  assert.equal(
    (await tables.rows("exchange_rates", ...columns)).map((row) => columns.map((column) => row[column])),
    [
      ["2026-03-01", "EUR", "USD", "0.92", 100n, 300n],
      ["2026-03-01", "EUR", "USD", "0.93", 300n, 400n],
      ["2026-03-01", "EUR", "EUR", "1", 400n, inForce],
      ["2026-03-01", "KRW", "USD", "1380.5", 100n, 300n],
      ["2026-03-01", "USD", "USD", "1", 100n, 300n],
      ["2026-03-01", "USD", "USD", "1", 300n, 400n],
      ["2026-03-01", "USD", "EUR", "1.1", 400n, inForce],
      ["2026-03-02", "EUR", "USD", "0.91", 200n, inForce],
      ["2026-03-02", "USD", "USD", "1", 200n, inForce],
    ],
  );
});

rates.run();
