import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reportPath } from "../../../client/index.ts";
import type { ReportKind } from "../../../domain/report-tasks/events.ts";
import { groupBys as allGroupBys } from "../../../domain/reporting/catalogue/group-bys.ts";
import { returnEventKeys } from "../../../domain/reporting/return-events.ts";
import { addDays } from "../../../domain/values/local-time.ts";
import { reportModules } from "../../../infra/composition/report-modules.ts";
import { shop } from "../../examples/app.ts";
import { noUploads } from "../../projections/reports/uploads.ts";
import type { Answer } from "../../support/raw-client.ts";
import { retentionOfWeek, revenueOfWeek } from "../../support/reports/cohort-requests.ts";
import { clicksByCampaign, lastWeek, type Reports, startReports } from "../../support/reports/report-application.ts";
import { errorsOf } from "../../support/short-faults.ts";

type Fault = readonly (string | number)[];
/** A change of a valid body, and its faults; none: it is accepted. The rules of each kind are tested in `test/domain/reporting`. */
type Case = readonly [what: string, change: object, ...faults: Fault[]];

const today = lastWeek[6] ?? "";
const filter = { field: "channel", filterType: "IN", values: ["kakao"] };
const repeated = (count: number, key: string): string[] => Array.from({ length: count }, () => key);
const notAllowed = (...path: Fault): Fault => [...path, "not_allowed"];

const activeUsers = {
  ...{ from: lastWeek[0], to: today, granularity: "day", metrics: ["app_au"] },
  ...{ groupBy: { fields: ["channel"] }, filters: [filter] },
};

interface RequestedKind {
  readonly body: object;
  /** Fields of the stored query that differ from the body. */
  readonly stored: object;
  /** Path of the group-bys in the body. */
  readonly groupBys: readonly string[];
  readonly cases: readonly Case[];
}

const metricCases: readonly Case[] = [
  ["19 metrics", { metrics: repeated(19, "METRIC") }],
  ["20 metrics", { metrics: repeated(20, "METRIC") }],
  ["21 metrics", { metrics: repeated(21, "METRIC") }, ["metrics", "too_long"]],
  ["no metric", { metrics: [] }, ["metrics", "too_short"]],
  ["an unknown metric", { metrics: ["METRIC", "kicks"] }, notAllowed("metrics", 1)],
];
const metricsOf = (metric: string): readonly Case[] =>
  JSON.parse(JSON.stringify(metricCases).replaceAll("METRIC", metric));

const customEvents = (count: number): string[] => Array.from({ length: count }, (_, index) => `custom:${index}`);
const cohortCases = (startEvents: string): readonly Case[] => [
  ["no start event", { [startEvents]: [] }, [startEvents, "too_short"]],
  ["an unknown start event", { [startEvents]: ["app_open"] }, notAllowed(startEvents, 0)],
  ["no return event", { returnEvents: [] }, ["returnEvents", "too_short"]],
  ["every return event", { returnEvents: [...returnEventKeys, "custom:level up"] }],
  ["199 return events", { returnEvents: customEvents(199) }],
  ["200 return events", { returnEvents: customEvents(200) }],
  ["201 return events", { returnEvents: customEvents(201) }, ["returnEvents", "too_long"]],
  ["a custom return event of 127 characters", { returnEvents: [`custom:${"x".repeat(127)}`] }],
  ["a custom return event of 128 characters", { returnEvents: [`custom:${"x".repeat(128)}`] }],
  [
    "a custom return event of 129 characters",
    { returnEvents: [`custom:${"x".repeat(129)}`] },
    notAllowed("returnEvents", 0),
  ],
  [
    "return events that there are not",
    { returnEvents: ["app_open", "clicks", "custom: ", "app_revenue"] },
    ...[1, 2, 3].map((index) => notAllowed("returnEvents", index)),
  ],
];

const kinds: { readonly [kind in ReportKind]: RequestedKind } = {
  actuals: {
    body: clicksByCampaign,
    stored: {},
    groupBys: ["groupBys"],
    cases: [
      ...metricsOf("clicks"),
      ["an empty option", { option: {} }],
      ["an option with something in it", { option: { deep: true } }, ["option", "deep", "unknown_field"]],
      ["a granularity", { granularity: "day" }, ["granularity", "unknown_field"]],
    ],
  },
  active_users: {
    body: activeUsers,
    stored: { filters: [{ dimension: "channel", filterType: "IN", values: ["kakao"] }] },
    groupBys: ["groupBy", "fields"],
    cases: [
      ...metricsOf("app_pu"),
      ["an unknown granularity", { granularity: "year" }, notAllowed("granularity")],
      ["group-bys as a list", { groupBy: ["channel"] }, ["groupBy", "wrong_type"]],
      ["sorts", { sorts: [] }, ["sorts", "unknown_field"]],
    ],
  },
  retention: {
    body: retentionOfWeek,
    stored: { startEvents: retentionOfWeek.startEvent },
    groupBys: ["groupBy", "fields"],
    cases: [
      ...cohortCases("startEvent"),
      ["every start event", { startEvent: ["app_installs", "app_deeplink_opens", "app_deeplink_pageviews"] }],
      ["an unknown option", { measurementOption: "strict" }, notAllowed("measurementOption")],
      ["an unknown granularity", { granularity: "year" }, notAllowed("granularity")],
      ["a page of 1", { pagination: { size: 1 } }],
      ["a page of 99", { pagination: { size: 99 } }],
      ["a page of 100", { pagination: { size: 100 } }],
      ["a page of 0", { pagination: { size: 0 } }, ["pagination", "size", "out_of_range"]],
      ["a page of 101", { pagination: { size: 101 } }, ["pagination", "size", "out_of_range"]],
      ["the last page", { pagination: { skip: Number.MAX_SAFE_INTEGER } }],
      [
        "a page after it",
        { pagination: { skip: Number.MAX_SAFE_INTEGER + 1 } },
        ["pagination", "skip", "out_of_range"],
      ],
      ["a page before the first", { pagination: { skip: -1 } }, ["pagination", "skip", "out_of_range"]],
    ],
  },
  revenue: {
    body: revenueOfWeek,
    stored: { includesTotal: false },
    groupBys: ["groupBy", "fields"],
    cases: [
      ...cohortCases("startEvents"),
      ["both start events", { startEvents: ["app_install", "app_deeplink_open"] }],
      ["an unknown metric", { metric: "revenue" }, notAllowed("metric")],
      ["an unknown granularity", { granularity: "year" }, notAllowed("granularity")],
      ["an unknown aggregation", { aggregationType: "daily" }, notAllowed("aggregationType")],
      ["a first date 364 days ago", { from: addDays(today, -364), to: addDays(today, -364) }],
      ["a first date 365 days ago", { from: addDays(today, -365), to: addDays(today, -365) }],
      ["a first date 366 days ago", { from: addDays(today, -366), to: addDays(today, -366) }, ["from", "out_of_range"]],
      ["an empty result specification", { resultSpec: {} }],
      ["a total in its CSV", { resultSpec: { csv: { includesTotal: true } } }],
      [
        "a total that is a text",
        { resultSpec: { csv: { includesTotal: "yes" } } },
        ["resultSpec", "csv", "includesTotal", "wrong_type"],
      ],
    ],
  },
};

const ofEveryKind = ({ body, groupBys }: RequestedKind): readonly Case[] => {
  const [field = "", nested] = groupBys;
  // Actuals has a limit of its own, the others take each group-by that there is.
  const every = Object.keys(allGroupBys);
  const maxGroupBys = nested === undefined ? 10 : every.length;
  const fields = (keys: readonly string[]): object => ({ [field]: nested === undefined ? keys : { [nested]: keys } });
  return [
    [`${maxGroupBys - 1} group-bys`, fields(repeated(maxGroupBys - 1, "channel"))],
    [`${maxGroupBys} group-bys`, fields(every.slice(0, maxGroupBys))],
    [
      `${maxGroupBys + 1} group-bys`,
      fields([...every, "channel"].slice(0, maxGroupBys + 1)),
      [...groupBys, "too_long"],
    ],
    ["an unknown group-by", fields(["channel", "shoe_size"]), notAllowed(...groupBys, 1)],
    ["99 filters", { filters: Array.from({ length: 99 }, () => filter) }],
    ["100 filters", { filters: Array.from({ length: 100 }, () => filter) }],
    ["101 filters", { filters: Array.from({ length: 101 }, () => filter) }, ["filters", "too_long"]],
    ["filters of two operators", { filters: [filter, { dimension: "os_name", filterType: "EXIST" }] }],
    [
      "an unknown filter type",
      { filters: [{ ...filter, filterType: "LIKES" }] },
      notAllowed("filters", 0, "filterType"),
    ],
    ["an unknown key in a filter", { filters: [{ ...filter, by: 1 }] }, ["filters", 0, "by", "unknown_field"]],
    ["91 dates", { from: addDays(today, -90) }],
    ["92 dates", { from: addDays(today, -91) }],
    ["93 dates", { from: addDays(today, -92) }, ["to", "out_of_range"]],
    ["a date that is a number", { from: 20260301 }, ["from", "wrong_type"]],
    ["a last date tomorrow, in the app's time zone", { to: addDays(today, 1) }, ["to", "out_of_range"]],
    ["an unknown field", { deep: {} }, ["deep", "unknown_field"]],
    ...Object.keys(body).map((key): Case => [`no ${key}`, { [key]: undefined }, [key, "missing"]]),
  ];
};

let reports: Reports;
const requests = suite("requests for reports");
requests.before(async () => {
  reports = await startReports();
  const categories = [
    { appId: shop.appId, category: "Store visits", archived: false },
    { appId: shop.appId, category: "Leads", archived: true },
    { appId: shop.appId, category: "Calls to us", archived: false },
    { appId: 2, category: "Calls", archived: false },
  ];
  await reports.writeFacts({ touchpoints: [], appEvents: [], uploads: { ...noUploads, categories } });
});
requests.after(() => reports.close());

const post = (kind: ReportKind, body: object, token = "owner", headers = {}): Promise<Answer> =>
  reports.call("POST", reportPath(kind, shop.name), { token, body, headers });
const call = (method: "GET" | "DELETE", kind: ReportKind, taskId: string, token = "owner"): Promise<Answer> =>
  reports.call(method, `${reportPath(kind, shop.name)}/${taskId}`, { token, headers: { "X-Min-Position": "0" } });
const taskIn = ({ json }: Answer) => {
  const { task, data } = json as { task?: { taskId: string }; data: { taskId: string } };
  return task ?? data;
};
const faultsOf = (answer: Answer) => errorsOf(answer).map((fault) => fault.slice(1));

// First: later, its task would run after the open ones of all other tests.
requests("whose metric is archived afterwards still run", async () => {
  const query = { ...clicksByCampaign, groupBys: [], metrics: ["Calls to us"] };
  const taskId = await reports.requested(query);
  await reports.archiveMetric("Calls to us");
  await reports.runUntil(async () => (await reports.read(taskId)).text.includes('"SUCCESS"'));
  assert.match((await reports.read(taskId)).text, /"values":{"Calls to us":{"value":0,/);
  assert.equal(faultsOf(await post("actuals", query)), [["metrics", 0, "not_allowed"]]);
});

for (const [name, requested] of Object.entries(kinds)) {
  const kind = name as ReportKind;
  const { body, stored, groupBys, cases } = requested;

  requests(`are refused for their shape and meaning at once: ${kind}`, async () => {
    const faulty = { deep: {}, to: "2026-02-30", filters: [{ ...filter, dimension: "kolor" }] };
    const answer = await post(kind, { ...body, ...faulty });
    const fields = new Set(faultsOf(answer).map(([field]) => field));
    assert.equal([answer.status, fields], [400, new Set(Object.keys(faulty))]);
  });

  requests(`store the query, and respond with the task: ${kind}`, async () => {
    const answer = await post(kind, body);
    const { taskId } = taskIn(answer);
    const { taskMember } = reportModules[kind];
    assert.equal([answer.status, Object.keys(answer.json as object)], [200, [taskMember.post]]);
    assert.match(String(answer.headers["x-log-position"]), /^\d+$/);
    const [{ type, data } = { type: null, data: {} }, ...others] = await reports.events(taskId);
    const { requestedAt, ...rest } = data as { requestedAt: string };
    const { groupBy, startEvent, ...same } = body as { groupBy?: { fields: unknown }; startEvent?: unknown };
    const query = { ...same, ...(groupBys[1] === undefined ? {} : { groupBys: groupBy?.fields }), ...stored };
    assert.equal([type, others], ["ReportRequested", []]);
    assert.equal(rest, { taskId, appId: shop.appId, report: kind, query, onlyChannels: null });
    assert.ok(Date.parse(requestedAt) > 0);
    const read = await call("GET", kind, taskId);
    const { status } = taskIn(read) as { status?: string };
    assert.ok(status === "RUNNING" || status === "PENDING");
    assert.equal(read.json, {
      [taskMember.get]: {
        ...{ status, taskId, endedAt: null },
        asOfPosition: String(answer.headers["x-log-position"]),
      },
    });
  });

  requests(`name each unknown key and the nearest known one: ${kind}`, async () => {
    const metric = "metrics" in body ? { metrics: ["app_instals", "app_revenu"] } : {};
    const sorts = "sorts" in body ? { sorts: [{ fieldName: "chanel", isAscending: true }] } : {};
    const [field = "", nested] = groupBys;
    const misspelled = { [field]: nested === undefined ? ["chanel"] : { [nested]: ["chanel"] } };
    const returned = "returnEvents" in body ? { returnEvents: ["app_oder_complete"] } : {};
    const misfiltered = { filters: [{ ...filter, field: "compaign" }], garnularity: "day" };
    const { json } = await post(kind, { ...body, ...metric, ...sorts, ...misspelled, ...misfiltered, ...returned });
    const texts = (json as { errors: { msg: string }[] }).errors.map(({ msg }) => msg).join("\n");
    for (const named of ["chanel (did you mean channel?)", "compaign (did you mean campaign?)", "garnularity"]) {
      assert.match(texts, named);
    }
    const nearest = {
      actuals: "app_instals (did you mean app_installs?)",
      active_users: "app_revenu (did you mean app_revenue?)",
    };
    if (kind === "actuals" || kind === "active_users") assert.match(texts, nearest[kind]);
    if ("returnEvents" in body) assert.match(texts, "app_oder_complete (did you mean app_order_complete?)");
    if (kind === "revenue") assert.match(texts, "garnularity (did you mean granularity?)");
  });

  for (const [what, change, ...faults] of [...ofEveryKind(requested), ...cases]) {
    requests(`of ${kind} with ${what} are ${faults.length === 0 ? "accepted" : "refused"}`, async () => {
      const answer = await post(kind, { ...body, ...change });
      assert.is(answer.status, faults.length === 0 ? 200 : 400, answer.text);
      assert.equal(faultsOf(answer), faults);
    });
  }
}

for (const kind of ["actuals", "active_users"] as const) {
  requests(`of a media partner are confined to its channels, and are its own: ${kind}`, async () => {
    const ofOwner = taskIn(await post(kind, kinds[kind].body)).taskId;
    const { taskId } = taskIn(await post(kind, kinds[kind].body, "partner"));
    const [requested] = await reports.events(taskId);
    const { onlyChannels } = (requested?.data ?? {}) as { readonly onlyChannels?: unknown };
    assert.equal(onlyChannels, ["kakao", "partner"]);
    for (const [id, token] of [
      [taskId, "otherPartner"],
      [ofOwner, "partner"],
    ] as const) {
      for (const method of ["GET", "DELETE"] as const) assert.is((await call(method, kind, id, token)).status, 404);
    }
    assert.is((await call("DELETE", kind, taskId, "partner")).status, 204);
  });
}

requests("are refused by the date on which their Idempotency-Key was claimed", async () => {
  const from = addDays(today, -366);
  const keyed = (key: string) =>
    post("revenue", { ...revenueOfWeek, from, to: from }, "owner", { "Idempotency-Key": key });
  assert.equal(faultsOf(await keyed("claimed today")), [["from", "out_of_range"]]);
  reports.circumstances.now = () => new Date(Date.now() - 86_400_000);
  assert.is((await keyed("claimed yesterday")).status, 200);
  reports.circumstances.now = () => new Date();
});

requests("of unknown tasks are 404", async () => {
  for (const id of ["00000000-0000-8000-8000-000000000000", "not-a-task", "%27"]) {
    for (const method of ["GET", "DELETE"] as const) assert.is((await call(method, "actuals", id)).status, 404, id);
  }
});

requests("accept metrics that the app has uploaded and not archived", async () => {
  const of = (metric: string) => post("actuals", { ...clicksByCampaign, metrics: ["clicks", metric] });
  assert.is((await of("Store visits")).status, 200);
  for (const metric of ["Leads", "Calls"]) assert.equal(faultsOf(await of(metric)), [["metrics", 1, "not_allowed"]]);
});

requests.run();
