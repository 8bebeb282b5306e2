import { suite } from "uvu";
import * as assert from "uvu/assert";
import { registeredApp } from "../../../domain/apps/registered-app.ts";
import { reportModules } from "../../../infra/composition/report-modules.ts";
import type { ReportTaskRow } from "../../../projections/report-tasks/queries.ts";
import { reportTaskReadRoutes } from "../../../read-api/report-tasks/read-route.ts";
import { shop } from "../../examples/app.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";

const endedAt = new Date("2026-03-01T12:00:00.000Z");
const keptMs = 7 * 24 * 60 * 60 * 1000;
const query = { from: "2026-02-01", to: "2026-02-01", groupBys: [], metrics: ["clicks"], filters: [], sorts: [] };
const asked = {
  taskId: exampleUuid("report", 1),
  appId: shop.appId,
  position: 100n,
  report: "actuals",
  query,
  onlyChannels: null,
  now: new Date("2026-02-01T12:00:00.000Z"),
} as const;

/** The status that a reader gets so many milliseconds after the end. */
async function statusAfter(task: ReportTaskRow, ms: number): Promise<number> {
  const [read] = reportTaskReadRoutes({
    reports: [reportModules.actuals],
    reportTaskOf: async () => task,
    results: {
      has: async () => true,
      total: async () => null,
      requestRows: async () => undefined,
      all: async () => ({ rows: [], totalCount: 0 }),
      page: async () => ({ rows: [], totalCount: 0 }),
      row: async () => null,
    },
  });
  const reply = await read?.handle({
    principal: { kind: "operator" },
    app: registeredApp(shop, "2026-01-01T00:00:00.000Z"),
    params: { app_name: shop.name, task_id: task.taskId },
    query: {},
    body: undefined,
    requestId: "request",
    commandId: "request",
    ip: null,
    userAgent: null,
    language: "en" as const,
    receivedAt: new Date(endedAt.getTime() + ms).toISOString(),
    elapsedMs: () => 0,
  });
  return reply?.kind === "problem" ? reply.problem.status : 200;
}

const ends: readonly ReportTaskRow[] = [
  { ...asked, stage: "succeeded", endedAt, rowCount: 0, rowsHash: "ab", notifications: [] },
  { ...asked, stage: "failed", endedAt, failure: "too_slow" },
  { ...asked, stage: "canceled", endedAt },
];

const forgotten = suite("a report task is kept for 7 days after its end");
for (const task of ends) {
  forgotten(`when it ${task.stage}`, async () => {
    const statuses = [-1_000, -1, 0, 1, 1_000].map((ms) => statusAfter(task, keptMs + ms));
    assert.equal(await Promise.all(statuses), [200, 200, 404, 404, 404]);
  });
}

forgotten("and as long as it takes when it has not ended", async () => {
  assert.is(await statusAfter({ ...asked, stage: "requested" }, 10 * keptMs), 200);
});

forgotten.run();
