import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appEventCategories } from "../../../../domain/app-events/categories.ts";
import { metricOf, metrics } from "../../../../domain/reporting/catalogue/catalogue.ts";
import { exchangeRateMissing } from "../../../../domain/reporting/notifications.ts";

const catalogue = suite("the catalogue of reports");

catalogue("counts distinct devices for each metric that counts app events, and for no other", () => {
  for (const [key, { metric }] of Object.entries(metrics)) {
    if (metric.kind === "events") assert.equal(metricOf(`${key}_users`), { kind: "devices", of: metric.of });
    else assert.is(metricOf(`${key}_users`), null, key);
  }
});

catalogue("counts each category of app events that has a metric under that metric", () => {
  for (const [category, metric] of Object.entries(appEventCategories)) {
    if (metric !== null) assert.equal(metricOf(metric), { kind: "events", of: { categories: [category] } });
  }
});

catalogue("takes custom events by name", () => {
  assert.equal(metricOf("custom:level up: 3"), { kind: "events", of: { categories: ["custom:level up: 3"] } });
  assert.equal(metricOf("custom_users:x"), { kind: "devices", of: { categories: ["custom:x"] } });
  for (const key of ["custom:", "custom_users:", "custom", "custom:\u0000", `custom:${"x".repeat(129)}`, "custom: x"]) {
    assert.is(metricOf(key), null, JSON.stringify(key));
  }
});

const notifications = suite("the notification of missing exchange rates");

notifications("names each currency with its dates, days in a row as one", () => {
  assert.equal(
    exchangeRateMissing([
      { currency: "EUR", dates: ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-03"] },
      { currency: "KRW", dates: ["2026-03-31"] },
    ]),
    {
      code: "EXCHANGE_RATE_MISSING",
      type: "WARNING",
      params: { rates: "EUR (2026-02-27 – 2026-03-01, 2026-03-03); KRW (2026-03-31)" },
    },
  );
});

catalogue.run();
notifications.run();
