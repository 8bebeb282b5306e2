import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays } from "../../../domain/values/local-time.ts";
import { shop } from "../../examples/app.ts";
import type { Answer } from "../../support/client.ts";
import { lastWeek, type Reports, startReports } from "./reports.ts";
import { revenueOfWeek, revenueReports } from "./revenue-requests.ts";

let reports: Reports;
let revenue: ReturnType<typeof revenueReports>;
const requesting = suite("requesting a revenue report");
requesting.before(async () => {
  reports = await startReports();
  revenue = revenueReports(reports);
});
requesting.after(() => reports.close());

const faultsOf = ({ json }: Answer) =>
  (json as { errors: { loc: (string | number)[]; type: string }[] }).errors.map(({ loc, type }) => [...loc, type]);

requesting("records what was asked and answers nothing but the task's id", async () => {
  const answer = await revenue.request({ ...revenueOfWeek, groupBy: { fields: ["channel"] } });
  const { taskId } = (answer.json as { data: { taskId: string } }).data;
  assert.equal([answer.status, answer.json], [200, { data: { taskId } }]);
  const [requested] = await reports.events(taskId);
  const { requestedAt: _, ...data } = (requested?.data ?? {}) as { requestedAt?: string };
  const { groupBy: __, ...query } = revenueOfWeek;
  assert.equal(data, {
    taskId,
    appId: shop.appId,
    report: "revenue",
    query: { ...query, groupBys: ["channel"], includesTotal: false },
    onlyChannels: null,
  });
});

requesting("can be read at once, before it has started", async () => {
  const answer = await revenue.request(revenueOfWeek);
  const { taskId } = (answer.json as { data: { taskId: string } }).data;
  const asOfPosition = String(answer.headers["x-log-position"]);
  assert.equal((await revenue.read(taskId)).json, {
    data: { status: "PENDING", taskId, endedAt: null, asOfPosition },
  });
});

requesting("is for owners and in-house marketers", async () => {
  for (const [token, status] of [
    ["owner", 200],
    ["inHouse", 200],
    ["agency", 403],
    ["partner", 403],
    ["link", 403],
    ["ofOtherApp", 404],
    ["unknown", 401],
  ] as const) {
    assert.is((await revenue.request(revenueOfWeek, token)).status, status, token);
  }
});

requesting("is read and canceled by the same, under its own path", async () => {
  const taskId = await revenue.requested(revenueOfWeek);
  for (const [token, status] of [
    ["agency", 403],
    ["ofOtherApp", 404],
    ["unknown", 401],
  ] as const) {
    assert.is((await revenue.read(taskId, "", token)).status, status, token);
    assert.is((await revenue.cancel(taskId, token)).status, status, token);
  }
  assert.is((await reports.read(taskId)).status, 404);
  assert.is((await reports.cancel(taskId)).status, 404);
  assert.is((await revenue.read("00000000-0000-8000-8000-000000000000")).status, 404);
  assert.is((await revenue.read("not-a-task")).status, 404);
  assert.is((await revenue.cancel(taskId, "inHouse")).status, 204);
  const { data } = (await revenue.read(taskId)).json as { data: { status: string } };
  assert.equal([data.status, Object.keys(data)], ["CANCELED", ["status", "taskId", "endedAt", "asOfPosition"]]);
});

const keys = (count: number): object => ({ groupBy: { fields: Array.from({ length: count }, () => "channel") } });
const filter = { field: "channel", filterType: "IN", values: ["a"] };
const filters = (count: number): object => ({ filters: Array.from({ length: count }, () => filter) });
const [today = ""] = lastWeek.slice(6);
const ago = (days: number): object => ({ from: addDays(today, -days), to: addDays(today, -days) });

const bodies: readonly (readonly [string, object, readonly unknown[]])[] = [
  ["9 group-bys", keys(9), []],
  ["10 group-bys", keys(10), []],
  ["11 group-bys", keys(11), [["body", "groupBy", "fields", "too_long"]]],
  ["an unknown group-by", { groupBy: { fields: ["shoe_size"] } }, [["body", "groupBy", "fields", 0, "not_allowed"]]],
  ["no group-by fields", { groupBy: {} }, [["body", "groupBy", "fields", "missing"]]],
  ["99 filters", filters(99), []],
  ["100 filters", filters(100), []],
  ["101 filters", filters(101), [["body", "filters", "too_long"]]],
  ["a beginning 364 days ago", ago(364), []],
  ["a beginning 365 days ago", ago(365), []],
  ["a beginning 366 days ago", ago(366), [["body", "from", "out_of_range"]]],
  ["an end tomorrow", { to: addDays(today, 1) }, [["body", "to", "out_of_range"]]],
  ["no start event", { startEvents: [] }, [["body", "startEvents", "too_short"]]],
  ["both start events", { startEvents: ["app_install", "app_deeplink_open"] }, []],
  ["a start event of retention", { startEvents: ["app_installs"] }, [["body", "startEvents", 0, "not_allowed"]]],
  ["no return event", { returnEvents: [] }, [["body", "returnEvents", "too_short"]]],
  ["an unknown return event", { returnEvents: ["app_open"] }, [["body", "returnEvents", 0, "not_allowed"]]],
  ["an unknown metric", { metric: "revenue" }, [["body", "metric", "not_allowed"]]],
  ["an unknown granularity", { granularity: "year" }, [["body", "granularity", "not_allowed"]]],
  [
    "hours of deeplink opens",
    { granularity: "hour", startEvents: ["app_deeplink_open"] },
    [["body", "granularity", "not_allowed"]],
  ],
  ["an unknown aggregation", { aggregationType: "daily" }, [["body", "aggregationType", "not_allowed"]]],
  ["ROAS on-day", { metric: "app_roas", aggregationType: "on-day" }, [["body", "aggregationType", "not_allowed"]]],
  ["ARPU on-day", { metric: "app_arpu", aggregationType: "on-day" }, [["body", "aggregationType", "not_allowed"]]],
  ["ARPPU on-day", { metric: "app_arppu", aggregationType: "on-day" }, []],
  ["a sort by a total", { sorts: [{ fieldName: "totalCost", isAscending: true }] }, []],
  [
    "a sort by the metric",
    { sorts: [{ fieldName: "app_revenue", isAscending: true }] },
    [["body", "sorts", 0, "fieldName", "not_allowed"]],
  ],
  ["an empty result specification", { resultSpec: {} }, []],
  ["a total in its CSV", { resultSpec: { csv: { includesTotal: true } } }, []],
  [
    "a total that is a text",
    { resultSpec: { csv: { includesTotal: "yes" } } },
    [["body", "resultSpec", "csv", "includesTotal", "wrong_type"]],
  ],
  ["an unknown field", { option: {} }, [["body", "option", "unknown_field"]]],
  ["no metric", { metric: undefined }, [["body", "metric", "missing"]]],
];
for (const [what, change, faults] of bodies) {
  requesting(`with ${what} is ${faults.length === 0 ? "taken" : "refused at the place of the fault"}`, async () => {
    const answer = await revenue.request({ ...revenueOfWeek, ...change });
    assert.is(answer.status, faults.length === 0 ? 200 : 400, answer.text);
    if (faults.length > 0) assert.equal(faultsOf(answer), faults);
  });
}

requesting.run();
