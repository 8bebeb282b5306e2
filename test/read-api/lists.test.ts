import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../domain/event-catalogue.ts";
import type { ReportRequested } from "../../domain/report-tasks/events.ts";
import { rawExportsProjection } from "../../projections/raw-exports/projection.ts";
import { listRawExports } from "../../projections/raw-exports/queries.ts";
import { reportTasksProjection } from "../../projections/report-tasks/projection.ts";
import { listReportTasks, reportTasksAt } from "../../projections/report-tasks/queries.ts";
import { uploadsProjection } from "../../projections/uploads/projection.ts";
import { listUploads } from "../../projections/uploads/queries.ts";
import { rawExportReadRoutes } from "../../read-api/raw-exports/routes.ts";
import { reportTaskListRoute } from "../../read-api/report-tasks/list-route.ts";
import { uploadReadRoutes } from "../../read-api/uploads/routes.ts";
import { recordedLog } from "../examples/recorded-log.ts";
import { anExportRequest, aReportRequest, exportId, taskId } from "../examples/tasks.ts";
import { anUpload, uploadId } from "../examples/uploads.ts";
import { openProjection } from "../projections/one-projection.ts";
import { serveRoutes } from "../support/served-routes.ts";

const unused = (() => assert.unreachable()) as never;
const [uploads, tasks, exported] = await Promise.all(
  [uploadsProjection, reportTasksProjection, rawExportsProjection].map(openProjection),
);
if (uploads === undefined || tasks === undefined || exported === undefined) throw new Error("A projection is not open");
const tasksOfReads: number[] = [];
const application = await serveRoutes([
  ...uploadReadRoutes({ listUploads: (list) => listUploads(uploads, list), uploadOf: unused, uploadedFile: unused }),
  reportTaskListRoute({
    kinds: ["actuals", "revenue"],
    listReportTasks: (list) => listReportTasks(tasks, list),
    reportTasksAt: (appId, positions) => {
      tasksOfReads.push(positions.length);
      return reportTasksAt(tasks, appId, positions);
    },
  }),
  ...rawExportReadRoutes({
    ...{
      listRawExports: (list) => listRawExports(exported, list),
      rawExportOf: unused,
      recordRead: unused,
      now: unused,
    },
    ...{ baseUrl: "https://api.example", signingKey: "key" },
  }),
]);

const lists = suite("lists, newest first");
lists.after(async () => {
  await application.close();
  for (const model of [uploads, tasks, exported]) await model.close();
});

type Listed = { readonly totalCount: number; readonly [member: string]: unknown };

async function list(path: string): Promise<Listed> {
  const { status, json, text } = await application.call("GET", path, { token: "owner" });
  assert.is(status, 200, text);
  return (json as { readonly data: Listed }).data;
}

const idsIn = (items: unknown, key: string) =>
  (items as readonly { [key: string]: unknown }[]).map((item) => item[key]);

lists("of uploads are of one kind, by status and by local dates", async () => {
  const path = "/self-serve-data/v1/ad-spend/requests";
  const late = anUpload(4, { receivedAt: "2026-04-01T15:00:00.000Z" });
  const events = [
    ...[anUpload(1), anUpload(2), anUpload(3, { kind: "metric" }), late, anUpload(5, { appId: 2 })].map(
      ({ received }) => received,
    ),
    anUpload(2).validated,
  ];
  await uploads.rebuild(recordedLog<StoredEvent>(events));
  const found = async (query: string) => {
    const { totalCount, uploads: items } = await list(`${path}${query}`);
    return [totalCount, ...idsIn(items, "requestId")];
  };
  assert.equal(await found(""), [3, uploadId(4), uploadId(2), uploadId(1)]);
  assert.equal(await found("?skip=1&size=1"), [3, uploadId(2)]);
  assert.equal(await found("?skip=2&size=2"), [3, uploadId(1)]);
  assert.equal(await found("?skip=3"), [3]);
  assert.equal(await found("?skip=4"), [3]);
  assert.equal(await found("?status=validated"), [1, uploadId(2)]);
  assert.equal(await found("?status=uploaded"), [2, uploadId(4), uploadId(1)]);
  assert.equal(await found("?status=failed"), [0]);
  assert.equal(await found("?from=2026-04-02&to=2026-04-02"), [1, uploadId(4)]);
  assert.equal(await found("?to=2026-04-01"), [2, uploadId(2), uploadId(1)]);
  for (const other of ["/self-serve-data/v1/metric/requests", "/custom-data-upload/v1.0/cost/requests"]) {
    assert.is((await list(other)).totalCount, Number(other.includes("metric")));
  }
  const { uploads: items } = await list(`${path}?status=validated`);
  const times = { createdAt: "2026-04-01T09:00:00", updatedAt: (items as { updatedAt: string }[])[0]?.updatedAt };
  assert.equal(items, [
    { requestId: uploadId(2), status: "validated", prevStatus: "uploaded", reason: null, ...times },
  ]);
  for (const [query, field] of [
    ["from=2026-04-02&to=2026-04-01", "from"],
    ["size=501", "size"],
    ["size=0", "size"],
    ["skip=-1", "skip"],
    ["status=done", "status"],
  ]) {
    const { status, text } = await application.call("GET", `${path}?${query}`, { token: "owner" });
    assert.is(status, 400, text);
    assert.match(text, new RegExp(`"query","${field}"`));
  }
  const { text } = await application.call("GET", `${path}?skip=100000000000000000000`, { token: "owner" });
  assert.match(text, /"type":"out_of_range"/);
});

lists("of report tasks are by kind and status", async () => {
  const first = aReportRequest(1);
  const { query, requestedAt } = first.data;
  // The event that it names is another app's.
  const asOfOther = { ...query, asOf: { stream: "app-2", revision: 0 } };
  const events = [
    { ...first, data: { ...first.data, query: asOfOther } as ReportRequested["data"] },
    aReportRequest(2, { report: "revenue" }),
    aReportRequest(3, { appId: 2 }),
    aReportRequest(4),
    aReportRequest(5),
  ];
  const started: StoredEvent = { type: "ReportStarted", data: { taskId: taskId(4) } };
  const canceled: StoredEvent = {
    type: "ReportCanceled",
    data: { taskId: taskId(1), endedAt: "2026-04-01T00:00:01.000Z" },
  };
  await tasks.rebuild(recordedLog<StoredEvent>([...events, started, canceled]));
  const path = "/admin/v1/apps/shop/report-tasks";
  const found = async (more: string) => {
    const { totalCount, reportTasks } = await list(`${path}${more}`);
    return [totalCount, ...idsIn(reportTasks, "taskId")];
  };
  assert.equal(await found(""), [4, taskId(5), taskId(4), taskId(2), taskId(1)]);
  assert.equal(await found("?kind=actuals"), [3, taskId(5), taskId(4), taskId(1)]);
  // When the second was requested, one was open, so that it had its turn at once; before the fifth are two.
  assert.equal(await found("?status=RUNNING"), [2, taskId(4), taskId(2)]);
  assert.equal(await found("?status=PENDING"), [1, taskId(5)]);
  const task = { status: "CANCELED", taskId: taskId(1), endedAt: "2026-04-01T00:00:01.000Z", asOfPosition: "100" };
  assert.equal(await list(`${path}?status=CANCELED&kind=actuals`), {
    totalCount: 1,
    reportTasks: [{ ...task, kind: "actuals", requestedAt, requestedBy: null, query: { ...query, asOf: "100" } }],
  });
});

lists("of report tasks with large queries are read one by one, and others together", async () => {
  const values = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(2_000, "x"));
  const filters = [{ dimension: "channel", operator: "in", values }];
  const requested = [1, 2, 3, 4].map((number) => aReportRequest(number));
  const events = requested.map((request, index) =>
    index < 2 ? request : { ...request, data: { ...request.data, query: { ...request.data.query, filters } } },
  );
  await tasks.rebuild(recordedLog<StoredEvent>(events as readonly StoredEvent[]));
  tasksOfReads.length = 0;
  const { reportTasks } = await list("/admin/v1/apps/shop/report-tasks");
  const queries = (reportTasks as readonly { readonly query: object }[]).map(({ query }) => query);
  assert.equal(
    queries,
    events.toReversed().map(({ data }) => data.query),
  );
  assert.equal(tasksOfReads, [1, 3]);
});

lists("of exports are by status", async () => {
  const file = { rows: 2, bytes: 96, sha256: "0".repeat(64) };
  const completed: StoredEvent = {
    type: "ExportCompleted",
    data: { reportId: exportId(1), ...file, resumePoints: [], endedAt: "2026-03-31T03:00:01.000Z" },
  };
  await exported.rebuild(
    recordedLog<StoredEvent>([anExportRequest(1), anExportRequest(2), anExportRequest(1, { appId: 2 }), completed]),
  );
  const path = "/admin/v1/apps/shop/exports";
  const { query, requestedAt } = anExportRequest(1).data;
  const shown = { type: "app", start: query.start, end: query.end, requestedAt };
  const open = {
    reportID: exportId(2),
    status: "requested",
    ...shown,
    asOfPosition: "200",
    rows: null,
    bytes: null,
    sha256: null,
  };
  const done = { reportID: exportId(1), status: "completed", ...shown, asOfPosition: "100", ...file };
  assert.equal(await list(path), { totalCount: 2, exports: [open, done] });
  assert.equal(await list(`${path}?status=completed`), { totalCount: 1, exports: [done] });
});

lists.run();
