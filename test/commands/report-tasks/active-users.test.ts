import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays } from "../../../domain/values/local-time.ts";
import { shop } from "../../examples/app.ts";
import type { Answer } from "../../support/client.ts";
import { clicksByCampaign, lastWeek, type Reports, startReports } from "./reports.ts";

let reports: Reports;
const requesting = suite("requesting an active users report");
requesting.before(async () => {
  reports = await startReports(`/reports/api/v4/apps/${shop.name}/active-users/query`);
  await reports.writeFacts({ touchpoints: [], appEvents: [] });
});
requesting.after(() => reports.close());

const body = {
  from: lastWeek[0],
  to: lastWeek[6],
  granularity: "day",
  metrics: ["app_au"],
  groupBy: { fields: ["channel"] },
  filters: [{ field: "channel", filterType: "IN", values: ["kakao"] }],
};
const { groupBy, ...query } = body;
const tomorrow = addDays(lastWeek[6] ?? "", 1);
const faultsOf = ({ json }: Answer) =>
  (json as { errors?: { loc: (string | number)[]; type: string }[] }).errors?.map(({ loc, type }) => [...loc, type]);
const statusOf = async (taskId: string) =>
  ((await reports.read(taskId)).json as { task: { status: string } }).task.status;

requesting("records what was asked and answers a running task", async () => {
  const answer = await reports.request(body);
  const { taskId } = (answer.json as { task: { taskId: string } }).task;
  assert.is(answer.status, 200);
  assert.equal(answer.json, { task: { status: "RUNNING", taskId } });
  const [requested] = await reports.events(taskId);
  const { requestedAt: _, ...data } = (requested?.data ?? {}) as { requestedAt?: string };
  const filters = [{ dimension: "channel", filterType: "IN", values: ["kakao"] }];
  assert.equal(data, {
    taskId,
    appId: shop.appId,
    report: "active_users",
    query: { ...query, groupBys: groupBy.fields, filters },
    onlyChannels: null,
  });
});

const texts = (count: number, text: string): string[] => Array.from({ length: count }, () => text);
const bodies: readonly (readonly [string, object, readonly unknown[]])[] = [
  ["9 group-bys", { groupBy: { fields: texts(9, "channel") } }, []],
  ["10 group-bys", { groupBy: { fields: texts(10, "channel") } }, []],
  ["11 group-bys", { groupBy: { fields: texts(11, "channel") } }, [["body", "groupBy", "fields", "too_long"]]],
  ["no group-bys", { groupBy: { fields: [] } }, []],
  ["19 metrics", { metrics: texts(19, "app_pu") }, []],
  ["20 metrics", { metrics: texts(20, "app_pu") }, []],
  ["21 metrics", { metrics: texts(21, "app_pu") }, [["body", "metrics", "too_long"]]],
  ["1 metric", { metrics: ["app_arppu"] }, []],
  ["no metric", { metrics: [] }, [["body", "metrics", "too_short"]]],
  ["100 filters", { filters: Array.from({ length: 100 }, () => body.filters[0]) }, []],
  ["101 filters", { filters: Array.from({ length: 101 }, () => body.filters[0]) }, [["body", "filters", "too_long"]]],
  ["an end tomorrow", { to: tomorrow }, [["body", "to", "out_of_range"]]],
  ["an unknown granularity", { granularity: "year" }, [["body", "granularity", "not_allowed"]]],
  ["a metric of actuals", { metrics: ["app_au", "clicks"] }, [["body", "metrics", 1, "not_allowed"]]],
  [
    "an unknown group-by",
    { groupBy: { fields: ["channel", "shoe_size"] } },
    [["body", "groupBy", "fields", 1, "not_allowed"]],
  ],
  [
    "an unknown filter",
    { filters: [{ field: "x", filterType: "EXIST" }] },
    [["body", "filters", 0, "field", "not_allowed"]],
  ],
  ["group-bys as a list", { groupBy: ["channel"] }, [["body", "groupBy", "wrong_type"]]],
  ["an option", { option: {} }, [["body", "option", "unknown_field"]]],
  ["sorts", { sorts: [] }, [["body", "sorts", "unknown_field"]]],
  ...Object.keys(body).map((key) => [`no ${key}`, { [key]: undefined }, [["body", key, "missing"]]] as const),
];
for (const [what, change, faults] of bodies) {
  requesting(`with ${what} is ${faults.length === 0 ? "taken" : "refused at the place of the fault"}`, async () => {
    const answer = await reports.request({ ...body, ...change });
    assert.is(answer.status, faults.length === 0 ? 200 : 400, answer.text);
    if (faults.length > 0) assert.equal(faultsOf(answer), faults);
  });
}

requesting("is for those who may ask actuals, a media partner over its channels alone", async () => {
  for (const [token, status] of [
    ["unknown", 401],
    ["link", 403],
    ["ofOtherApp", 404],
    ["agency", 200],
  ] as const) {
    assert.is((await reports.request(body, token)).status, status, token);
  }
  const [requested] = await reports.events(await reports.requested(body, "partner"));
  assert.equal((requested?.data as { onlyChannels?: unknown } | undefined)?.onlyChannels, ["kakao", "partner"]);
});

requesting("is cancelled by those who may read it, on its own path", async () => {
  const taskId = await reports.requested(body);
  const ofPartner = await reports.requested(body, "partner");
  const actuals = `/reports/api/v7/apps/${shop.name}/actuals/query`;
  const elsewhere = await reports.call("POST", actuals, { token: "owner", body: clicksByCampaign });
  const { taskId: other } = (elsewhere.json as { task: { taskId: string } }).task;
  for (const [id, token, status] of [
    [taskId, "nobody", 401],
    [taskId, "link", 403],
    [taskId, "partner", 404],
    [ofPartner, "otherPartner", 404],
    [other, "owner", 404],
  ] as const) {
    assert.is((await reports.cancel(id, token)).status, status);
    assert.is((await reports.read(id, "", token)).status, status);
  }
  assert.is((await reports.call("DELETE", `${actuals}/${taskId}`, { token: "owner" })).status, 404);
  assert.is(await statusOf(taskId), "PENDING");
  assert.is((await reports.cancel(taskId)).status, 204);
  assert.is(await statusOf(taskId), "CANCELED");
});

requesting.run();
