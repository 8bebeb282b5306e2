import { suite } from "uvu";
import * as assert from "uvu/assert";
import { registeredApp } from "../../../domain/apps/registered-app.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import { reportModules, reports } from "../../../infra/composition/report-modules.ts";
import { textOf } from "../../../infra/http/i18n/messages.ts";
import type { ReportTaskRow } from "../../../projections/report-tasks/queries.ts";
import { type ReadableReport, reportTaskReadRoutes } from "../../../read-api/report-tasks/read-route.ts";
import { shop } from "../../examples/app.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { principals } from "../../support/application.ts";

const endedAt = new Date("2026-03-01T12:00:00.000Z");
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;
const query = { from: "2026-02-01", to: "2026-02-01", groupBys: [], metrics: ["clicks"], filters: [], sorts: [] };
const requested = {
  taskId: exampleUuid("report", 1),
  appId: shop.appId,
  requestedBy: null,
  position: 100n,
  report: "actuals",
  query,
  onlyChannels: null,
  now: new Date("2026-02-01T12:00:00.000Z"),
} as const;

interface Circumstances {
  readonly language?: "en" | "ja";
  /** The request that the log has. */
  readonly requests?: Pick<ReportTaskRow, "appId" | "onlyChannels"> | null;
  readonly principal?: Principal;
}

/** The reply to a reader some milliseconds after the end. */
async function replyAfter(
  ms: number,
  task: ReportTaskRow | null,
  report: ReadableReport,
  { language = "en", requests = null, principal = { kind: "operator" } }: Circumstances = {},
) {
  const [read] = reportTaskReadRoutes({
    reports: [report],
    reportTaskOf: async () => task,
    reportRequestOf: async () => requests,
    results: {
      hashOf: async () => (task?.stage === "succeeded" ? task.rowsHash : null),
      longestChunk: async () => 0,
      total: async () => null,
      requestRows: async () => undefined,
      all: async function* () {},
      page: async () => ({ rows: [], totalCount: 0 }),
      row: async () => null,
    },
  });
  return read?.handle({
    principal,
    app: registeredApp(shop, "2026-01-01T00:00:00.000Z", 0n),
    params: { app_name: shop.name, task_id: requested.taskId },
    query: {},
    body: undefined,
    requestId: "request",
    commandId: "request",
    ip: null,
    userAgent: null,
    language,
    receivedAt: new Date(endedAt.getTime() + ms).toISOString(),
    firstReceivedAt: new Date(endedAt.getTime() + ms).toISOString(),
    untilOwnWriteSeen: null,
    elapsedMs: () => 0,
  });
}

async function statusAfter(ms: number, task: ReportTaskRow): Promise<number> {
  const reply = await replyAfter(ms, task, reportModules.actuals);
  return reply?.kind === "problem" ? reply.problem.status : 200;
}

const ends: readonly ReportTaskRow[] = [
  { ...requested, stage: "succeeded", endedAt, rowCount: 0, rowsHash: "ab", notifications: [] },
  { ...requested, stage: "failed", endedAt, failure: "too_slow" },
  { ...requested, stage: "canceled", endedAt },
];

const reading = suite("reading a report task");

for (const task of ends) {
  reading(`answers 404 from 7 days after its end on: ${task.stage}`, async () => {
    const statuses = [-1, 0, 1].map((ms) => statusAfter(maxAgeMs + ms, task));
    assert.equal(await Promise.all(statuses), [200, 404, 404]);
  });
}

reading("has no time limit before its end", async () => {
  assert.is(await statusAfter(10 * maxAgeMs, { ...requested, stage: "requested" }), 200);
});

for (const report of reports) {
  reading(`shows the reason of a failure in the language of the reader: ${report.kind}`, async () => {
    const task = { ...requested, report: report.kind, stage: "failed", failure: "too_slow", endedAt } as ReportTaskRow;
    const reply = await replyAfter(0, task, report, { language: "ja" });
    assert.ok(JSON.stringify(reply).includes(textOf({ code: "REPORT_TOO_SLOW" }, "ja")));
  });
}

const { owner } = principals;
const partner: Principal = { ...principals.media_partner, channels: ["kakao"] };
for (const [title, requests, principal, code] of [
  ["in the log", { appId: shop.appId, onlyChannels: null }, owner, "READ_MODEL_BEHIND"],
  [
    "in the log, over the caller's channels",
    { appId: shop.appId, onlyChannels: ["kakao"] },
    partner,
    "READ_MODEL_BEHIND",
  ],
  ["in the log, over other channels", { appId: shop.appId, onlyChannels: ["naver"] }, partner, "REPORT_TASK_NOT_FOUND"],
  ["in the log, of another app", { appId: shop.appId + 1, onlyChannels: null }, owner, "REPORT_TASK_NOT_FOUND"],
  ["not in the log", null, owner, "REPORT_TASK_NOT_FOUND"],
] as const) {
  reading(`answers ${code} for a task that is not in the read model and ${title}`, async () => {
    const reply = await replyAfter(0, null, reportModules.actuals, { requests, principal });
    assert.is(reply?.kind === "problem" ? reply.problem.code : reply?.kind, code);
  });
}

reading.run();
