import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays } from "../../../domain/values/local-time.ts";
import { shop } from "../../examples/app.ts";
import { noUploads } from "../../projections/reports/uploads.ts";
import type { Answer } from "../../support/client.ts";
import { clicksByCampaign, lastWeek, type Reports, startReports } from "./reports.ts";

let reports: Reports;
const requesting = suite("requesting an actuals report");
requesting.before(async () => {
  reports = await startReports();
  const categories = [
    { appId: shop.appId, category: "Store visits", archived: false },
    { appId: shop.appId, category: "Leads", archived: true },
    { appId: shop.appId, category: "Calls to us", archived: false },
    { appId: 2, category: "Calls", archived: false },
  ];
  await reports.writeFacts({ touchpoints: [], appEvents: [], uploads: { ...noUploads, categories } });
});
requesting.after(() => reports.close());

const faultsOf = ({ json }: Answer) =>
  (json as { errors: { loc: (string | number)[]; type: string }[] }).errors.map(({ loc, type }) => [...loc, type]);

requesting("records what was asked and answers a running task", async () => {
  const answer = await reports.request({ ...clicksByCampaign, option: {} });
  const { taskId } = (answer.json as { task: { taskId: string } }).task;
  assert.is(answer.status, 200);
  assert.equal(answer.json, { task: { status: "RUNNING", taskId } });
  assert.match(String(answer.headers["x-log-position"]), /^\d+$/);

  const [{ type, data } = { type: null, data: {} }, ...others] = await reports.events(taskId);
  const { requestedAt, ...rest } = data as { requestedAt: string };
  assert.is(type, "ReportRequested");
  assert.equal(rest, { taskId, appId: shop.appId, report: "actuals", query: clicksByCampaign, onlyChannels: null });
  assert.ok(Date.parse(requestedAt) > 0);
  assert.equal(others, []);
});

requesting("can be read at once, before it has started", async () => {
  const answer = await reports.request(clicksByCampaign);
  const { taskId } = (answer.json as { task: { taskId: string } }).task;
  const asOfPosition = String(answer.headers["x-log-position"]);
  assert.equal((await reports.read(taskId)).json, {
    task: { status: "PENDING", taskId, endedAt: null, asOfPosition },
  });
});

requesting("confines a media partner to its channels", async () => {
  const taskId = await reports.requested(clicksByCampaign, "partner");
  const [requested] = await reports.events(taskId);
  const { onlyChannels } = (requested?.data ?? {}) as { readonly onlyChannels?: readonly string[] };
  assert.equal(onlyChannels, ["kakao", "partner"]);
});

requesting("is refused to tokens without the permission, and for apps of others", async () => {
  assert.is((await reports.request(clicksByCampaign, "unknown")).status, 401);
  assert.is((await reports.request(clicksByCampaign, "link")).status, 403);
  assert.is((await reports.request(clicksByCampaign, "ofOtherApp")).status, 404);
});

const keys = (count: number, key: string): string[] => Array.from({ length: count }, () => key);
const metric = (count: number): object => ({ metrics: keys(count, "clicks") });
const groupBy = (count: number): object => ({ groupBys: keys(count, "channel") });
const tomorrow = addDays(lastWeek[6] ?? "", 1);
const filter = { dimension: "channel", filterType: "IN", values: ["a"] };

const bodies: readonly (readonly [string, object, readonly unknown[]])[] = [
  ["9 group-bys", groupBy(9), []],
  ["10 group-bys", groupBy(10), []],
  ["11 group-bys", groupBy(11), [["body", "groupBys", "too_long"]]],
  ["19 metrics", metric(19), []],
  ["20 metrics", metric(20), []],
  ["21 metrics", metric(21), [["body", "metrics", "too_long"]]],
  ["no metric", metric(0), [["body", "metrics", "too_short"]]],
  ["99 filters", { filters: Array.from({ length: 99 }, () => filter) }, []],
  ["100 filters", { filters: Array.from({ length: 100 }, () => filter) }, []],
  ["101 filters", { filters: Array.from({ length: 101 }, () => filter) }, [["body", "filters", "too_long"]]],
  ["an unknown group-by", { groupBys: ["channel", "shoe_size"] }, [["body", "groupBys", 1, "not_allowed"]]],
  ["an unknown metric", { metrics: ["clicks", "kicks"] }, [["body", "metrics", 1, "not_allowed"]]],
  ["an uploaded metric", { metrics: ["clicks", "Store visits"] }, []],
  ["an archived metric", { metrics: ["clicks", "Leads"] }, [["body", "metrics", 1, "not_allowed"]]],
  ["a metric that another app has uploaded", { metrics: ["Calls"] }, [["body", "metrics", 0, "not_allowed"]]],
  [
    "a filter type of another report",
    { filters: [{ ...filter, filterType: "LIKES" }] },
    [["body", "filters", 0, "filterType", "not_allowed"]],
  ],
  [
    "filters of two operators",
    {
      filters: [
        { field: "channel", filterType: "NOT LIKE", values: ["a*"] },
        { dimension: "os_name", filterType: "EXIST" },
      ],
    },
    [],
  ],
  [
    "a filter without values",
    { filters: [{ ...filter, filterType: "LIKE", values: [] }] },
    [["body", "filters", 0, "values", "too_short"]],
  ],
  [
    "an unknown key in a filter",
    { filters: [{ ...filter, operator: "IN" }] },
    [["body", "filters", 0, "operator", "unknown_field"]],
  ],
  [
    "a sort by what is not asked",
    { sorts: [{ fieldName: "channel", isAscending: true }] },
    [["body", "sorts", 0, "fieldName", "not_allowed"]],
  ],
  ["an unknown field", { granularity: "day" }, [["body", "granularity", "unknown_field"]]],
  ["an option with something in it", { option: { deep: true } }, [["body", "option", "deep", "unknown_field"]]],
  ["no end", { to: undefined }, [["body", "to", "missing"]]],
  ["a date that is a number", { from: 20260301 }, [["body", "from", "wrong_type"]]],
  ["an end tomorrow, in the app's time zone", { to: tomorrow }, [["body", "to", "out_of_range"]]],
  ["a beginning after the end", { from: lastWeek[1], to: lastWeek[0] }, [["body", "from", "out_of_range"]]],
];
for (const [what, change, faults] of bodies) {
  requesting(`with ${what} is ${faults.length === 0 ? "taken" : "refused at the place of the fault"}`, async () => {
    const answer = await reports.request({ ...clicksByCampaign, ...change });
    assert.is(answer.status, faults.length === 0 ? 200 : 400, answer.text);
    if (faults.length > 0) assert.equal(faultsOf(answer), faults);
  });
}

requesting("lets a report run whose metric is archived after it was requested", async () => {
  const query = { ...clicksByCampaign, groupBys: [], metrics: ["Calls to us"] };
  const taskId = await reports.requested(query);
  await reports.archiveMetric("Calls to us");
  await reports.runUntil(async () => (await reports.read(taskId)).text.includes('"SUCCESS"'));
  assert.match((await reports.read(taskId)).text, /"values":{"Calls to us":{"value":0,/);
  assert.equal(faultsOf(await reports.request(query)), [["body", "metrics", 0, "not_allowed"]]);
});

requesting("takes 256 KiB and no more", async () => {
  const withValues = (bytes: number): object => {
    const body = { ...clicksByCampaign, filters: [{ ...filter, values: [""] }] };
    const padding = "x".repeat(bytes - JSON.stringify(body).length);
    return { ...body, filters: [{ ...filter, values: [padding] }] };
  };
  assert.is((await reports.request(withValues(256 * 1024))).status, 200);
  assert.is((await reports.request(withValues(256 * 1024 + 1))).status, 413);
});

requesting.run();
