import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays } from "../../../domain/values/local-time.ts";
import { shop } from "../../examples/app.ts";
import type { Answer } from "../../support/client.ts";
import { lastWeek, type Reports, startReports } from "./reports.ts";
import { retentionOfWeek, retentionReports } from "./retention-requests.ts";

let reports: Reports;
let retention: ReturnType<typeof retentionReports>;
const requesting = suite("requesting a retention report");
requesting.before(async () => {
  reports = await startReports();
  retention = retentionReports(reports);
});
requesting.after(() => reports.close());

const faultsOf = ({ json }: Answer) =>
  (json as { errors: { loc: (string | number)[]; type: string }[] }).errors.map(({ loc, type }) => [...loc, type]);

requesting("records what was asked and answers nothing but the task's id", async () => {
  const pages = { keyword: "ka", pagination: { skip: 1, size: 2 } };
  const answer = await retention.request({ ...retentionOfWeek, groupBy: { fields: ["channel"] }, ...pages });
  const { taskId } = (answer.json as { data: { taskId: string } }).data;
  assert.equal([answer.status, answer.json], [200, { data: { taskId } }]);
  const [requested] = await reports.events(taskId);
  const { requestedAt: _, ...data } = (requested?.data ?? {}) as { requestedAt?: string };
  const { groupBy: __, startEvent: startEvents, ...query } = retentionOfWeek;
  assert.equal(data, {
    taskId,
    appId: shop.appId,
    report: "retention",
    query: { ...query, startEvents, groupBys: ["channel"], ...pages },
    onlyChannels: null,
  });
});

requesting("can be read at once, before it has started", async () => {
  const answer = await retention.request(retentionOfWeek);
  const { taskId } = (answer.json as { data: { taskId: string } }).data;
  const asOfPosition = String(answer.headers["x-log-position"]);
  assert.equal((await retention.read(taskId)).json, {
    task: { status: "PENDING", taskId, endedAt: null, asOfPosition },
  });
});

requesting("is for owners and in-house marketers, who read and cancel it under its own path", async () => {
  const taskId = await retention.requested(retentionOfWeek);
  for (const [token, status] of [
    ["agency", 403],
    ["partner", 403],
    ["link", 403],
    ["ofOtherApp", 404],
    ["unknown", 401],
  ] as const) {
    assert.is((await retention.request(retentionOfWeek, token)).status, status, token);
    assert.is((await retention.read(taskId, "", token)).status, status, token);
    assert.is((await retention.cancel(taskId, token)).status, status, token);
  }
  assert.is((await retention.request(retentionOfWeek, "inHouse")).status, 200);
  assert.is((await reports.read(taskId)).status, 404);
  assert.is((await reports.cancel(taskId)).status, 404);
  assert.is((await retention.read("00000000-0000-8000-8000-000000000000")).status, 404);
  assert.is((await retention.read("not-a-task")).status, 404);
  assert.is((await retention.cancel(taskId, "inHouse")).status, 204);
  const { task } = (await retention.read(taskId)).json as { task: { status: string } };
  assert.equal([task.status, Object.keys(task)], ["CANCELED", ["status", "taskId", "endedAt", "asOfPosition"]]);
});

const keys = (count: number): object => ({ groupBy: { fields: Array.from({ length: count }, () => "channel") } });
const filter = { field: "channel", filterType: "IN", values: ["a"] };
const filters = (count: number): object => ({ filters: Array.from({ length: count }, () => filter) });
const page = (size: number): object => ({ pagination: { skip: 0, size } });
const [today = ""] = lastWeek.slice(6);

const bodies: readonly (readonly [string, object, readonly unknown[]])[] = [
  ["9 group-bys", keys(9), []],
  ["10 group-bys", keys(10), []],
  ["11 group-bys", keys(11), [["body", "groupBy", "fields", "too_long"]]],
  ["an unknown group-by", { groupBy: { fields: ["shoe_size"] } }, [["body", "groupBy", "fields", 0, "not_allowed"]]],
  ["no group-by fields", { groupBy: {} }, [["body", "groupBy", "fields", "missing"]]],
  ["99 filters", filters(99), []],
  ["100 filters", filters(100), []],
  ["101 filters", filters(101), [["body", "filters", "too_long"]]],
  ["92 dates", { from: addDays(today, -91) }, []],
  ["93 dates", { from: addDays(today, -92) }, [["body", "to", "out_of_range"]]],
  ["an end tomorrow", { to: addDays(today, 1) }, [["body", "to", "out_of_range"]]],
  ["no start event", { startEvent: [] }, [["body", "startEvent", "too_short"]]],
  ["every start event", { startEvent: ["app_installs", "app_deeplink_opens", "app_deeplink_pageviews"] }, []],
  ["a start event of revenue", { startEvent: ["app_install"] }, [["body", "startEvent", 0, "not_allowed"]]],
  ["no return event", { returnEvents: [] }, [["body", "returnEvents", "too_short"]]],
  [
    "every return event",
    {
      returnEvents: [
        "app_order_complete",
        "app_first_order_complete",
        "app_ad_impression",
        "app_ad_click",
        "app_subscribe",
      ],
    },
    [],
  ],
  ["an unknown return event", { returnEvents: ["app_open"] }, [["body", "returnEvents", 0, "not_allowed"]]],
  ["an unknown option", { measurementOption: "strict" }, [["body", "measurementOption", "not_allowed"]]],
  ["an unknown granularity", { granularity: "year" }, [["body", "granularity", "not_allowed"]]],
  ["hours of installs", { granularity: "hour" }, []],
  [
    "minutes of deeplink opens",
    { granularity: "minute", startEvent: ["app_deeplink_opens"] },
    [["body", "granularity", "not_allowed"]],
  ],
  ["a sort by its users", { sorts: [{ fieldName: "startUsers", isAscending: true }] }, []],
  [
    "a sort by what is not asked",
    { sorts: [{ fieldName: "channel", isAscending: true }] },
    [["body", "sorts", 0, "fieldName", "not_allowed"]],
  ],
  ["no sorts", { sorts: undefined }, [["body", "sorts", "missing"]]],
  ["a page of none", page(0), [["body", "pagination", "size", "out_of_range"]]],
  ["a page of 1", page(1), []],
  ["a page of 100", page(100), []],
  ["a page of 101", page(101), [["body", "pagination", "size", "out_of_range"]]],
  ["a page before the first", { pagination: { skip: -1 } }, [["body", "pagination", "skip", "out_of_range"]]],
  ["an unknown field", { option: {} }, [["body", "option", "unknown_field"]]],
];
for (const [what, change, faults] of bodies) {
  requesting(`with ${what} is ${faults.length === 0 ? "taken" : "refused at the place of the fault"}`, async () => {
    const answer = await retention.request({ ...retentionOfWeek, ...change });
    assert.is(answer.status, faults.length === 0 ? 200 : 400, answer.text);
    if (faults.length > 0) assert.equal(faultsOf(answer), faults);
  });
}

requesting.run();
