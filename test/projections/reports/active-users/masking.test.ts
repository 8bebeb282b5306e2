import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AppEvent } from "../facts.ts";
import { listedMonths, twitter } from "../masking/networks.ts";
import { activeUsersReport, codes, did, groupsOf, openActiveUsersFacts } from "./examples.ts";

const facts = await openActiveUsersFacts();
const [monday, tuesday] = ["2026-03-02T10:00", "2026-03-03T23:59:59.999"];
const order = (at: string, device: number, cents: number | null, more: Partial<AppEvent> = {}): AppEvent =>
  did("app_order_complete", at, device, { cents, ...more });

const masking = suite("masking in an active users report");
masking.after(() => facts.close());

masking("leaves out what is masked of a network, and notifies so", async () => {
  const label = { source: twitter, kind: "click" } as const;
  const appEvents = [
    did("app_open", monday, 1, { label }),
    order(monday, 1, 500),
    order(monday, 2, 900, { label }),
    order(tuesday, 3, 100, { label, currency: "USD" }),
  ];
  const [all, byChannel, hours, payers] = await facts.answer(
    { appEvents },
    activeUsersReport(),
    activeUsersReport({ groupBys: ["channel"], metrics: ["app_au", "app_pu"] }),
    activeUsersReport({ granularity: "hour", metrics: ["app_au"] }),
    activeUsersReport(
      { groupBys: ["channel"], metrics: ["app_revenue"] },
      { now: new Date("2026-08-27T00:00:00+09:00") },
    ),
  );
  assert.equal(all && groupsOf(all), [[[], [0, ["1", "1", "5", "5", "5"]]]]);
  assert.equal(byChannel && groupsOf(byChannel), [[["partner"], [0, ["1", "1"]]], [["twitter"]]]);
  assert.equal(hours && groupsOf(hours), [[[], [10, ["1"]]]]);
  assert.equal(payers && groupsOf(payers), [[["partner"], [0, ["5"]]], [["twitter"]]]);
  const masked = "AGG_DATA_MASKING_BY_PARTNER";
  assert.equal(
    [all, byChannel, hours, payers].map((result) => result && codes(result)),
    [[masked], [masked], [masked], ["SAN_PERIOD_LIMIT"]],
  );
  assert.equal(
    [all, byChannel, hours].map((result) => result && listedMonths(result)),
    [["twitter 2026-03"], ["twitter 2026-03"], ["twitter 2026-03"]],
  );
});

masking("has no notification of what is masked in other groups or uncounted events", async () => {
  const label = { source: twitter, kind: "click" } as const;
  const appEvents = [did("app_open", monday, 1, { label }), order(monday, 2, 100)];
  const filters = [{ dimension: "channel", filterType: "IN", values: ["partner"] }] as const;
  const results = await facts.answer(
    { appEvents },
    activeUsersReport({ filters }),
    activeUsersReport({ metrics: ["app_pu"] }),
  );
  assert.equal(results.map(codes), [[], []]);
});

masking.run();
