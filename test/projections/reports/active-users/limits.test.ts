// time limit: 120 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reportLimits } from "../../../../domain/reporting/limits.ts";
import { activeUsersReport, codes, did, openActiveUsersFacts } from "./examples.ts";

const facts = await openActiveUsersFacts();
const exceeded = ["EXCEEDED_LIMIT_ON_MAX_ROW_COUNT.active_users"];

const limits = suite("limits of an active users report");
limits.after(() => facts.close());

for (const [count, held, said] of [
  [1_000, 1_000, []],
  [1_001, 1_000, exceeded],
] as const) {
  limits(`hold the first 1,000 of ${count} groups, whatever is counted`, async () => {
    const models = Array.from({ length: count }, (_, index) => `model ${String(index).padStart(4, "0")}`);
    const appEvents = models.map((device_model, device) =>
      did("app_order_complete", "2026-03-02T10:00", device, {
        cents: 100,
        client: { os_name: null, country: null, device_model },
      }),
    );
    const query = { groupBys: ["device_model"] };
    const results = await facts.answer(
      { appEvents: appEvents.reverse() },
      activeUsersReport(query),
      activeUsersReport({ ...query, granularity: "hour" }),
      activeUsersReport({ ...query, metrics: ["app_revenue"] }),
    );
    for (const result of results) {
      assert.equal(
        result.rows.map(({ groupBys }) => groupBys),
        models.slice(0, held).map((model) => [model]),
      );
      assert.equal(codes(result), said);
    }
  });
}

limits("hold whole groups with 200,000 intervals in which something happened, and none of the next", async () => {
  const schema = await facts.write({ appEvents: [did("app_open", "2026-01-01T00:00", 1)] });
  const query = { from: "2026-01-01", to: "2026-04-02", granularity: "minute" as const, groupBys: ["event_source"] };
  const [minutes, all] = [92 * 24 * 60, reportLimits.activeIntervals];
  const heldOf = async (metric: "app_au" | "app_pu") => {
    const result = await facts.run(schema, activeUsersReport({ ...query, metrics: [metric] }));
    return [result.rows.map(({ groupBys, intervals }) => [...groupBys, intervals.length]), codes(result)];
  };
  /** A purchase in each of so many minutes, from a source of its own. */
  const everyMinute = async (source: string, from: number, to: number): Promise<void> => {
    await facts.db.raw(
      `insert into ${schema}.app_events (app_id, event_id, from_position, at, local_date, local_hour, source, category,
         device_key, client_key, is_first_of_device)
       select 1, gen_random_uuid(), 1, at, (at at time zone 'Asia/Seoul')::date, 0, :source, 'app_subscribe',
         gen_random_uuid(), 1, false
       from generate_series(:from::integer, :to::integer) as minute
       cross join lateral (select timestamptz '2026-01-01 00:00+09' + minute * interval '1 minute') as happened (at)`,
      { source, from, to },
    );
  };
  await everyMinute("app", 1, minutes - 1);
  await everyMinute("web", 1, all - minutes);
  assert.equal(await heldOf("app_au"), [
    [
      ["app", minutes],
      ["web", all - minutes],
    ],
    [],
  ]);
  await everyMinute("web", all - minutes + 1, all - minutes + 1);
  assert.equal(await heldOf("app_au"), [[["app", minutes]], exceeded]);
  // The very first minute has no purchase.
  assert.equal(await heldOf("app_pu"), [
    [
      ["app", minutes - 1],
      ["web", all - minutes + 1],
    ],
    [],
  ]);
});

limits.run();
