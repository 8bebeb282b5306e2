import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reportPath, taskStateIn } from "../../../client/index.ts";
import { handleCommand } from "../../../commands/handle-command.ts";
import type { ReportKind } from "../../../domain/report-tasks/events.ts";
import { reportTask } from "../../../domain/report-tasks/report-task.ts";
import { failureNotifications } from "../../../domain/reporting/notifications.ts";
import { reportTaskStream } from "../../../domain/streams.ts";
import { notificationsIn } from "../../../infra/http/i18n/messages.ts";
import { shop } from "../../examples/app.ts";
import type { Answer } from "../../support/raw-client.ts";
import { threeCampaigns } from "../../support/reports/campaign-clicks.ts";
import { lastWeek, type Reports, startReports } from "../../support/reports/report-application.ts";
import { problemOf } from "../../support/short-faults.ts";

const range = { from: lastWeek[0], to: lastWeek[6], filters: [] };
const blocks = { ...range, granularity: "day", groupBy: { fields: ["channel"] } };
const queries = {
  actuals: { ...range, groupBys: ["campaign"], metrics: ["clicks", "app_installs"], sorts: [] },
  active_users: { ...blocks, metrics: ["app_au"] },
  retention: {
    ...{ ...blocks, startEvent: ["app_installs"], returnEvents: ["app_order_complete"], sorts: [] },
    measurementOption: "confined_retention",
  },
  revenue: {
    ...{ ...blocks, startEvents: ["app_install"], returnEvents: ["app_order_complete"], sorts: [] },
    ...{ metric: "app_user_count", aggregationType: "on-day" },
  },
} as const satisfies { readonly [kind in ReportKind]: object };
const kinds = Object.keys(queries) as ReportKind[];
const resultMember = {
  actuals: "actuals",
  active_users: "activeUsers",
  retention: "retention",
  revenue: "data",
} as const;

/** How the first line of the CSV begins. */
const csvHeader = {
  actuals: "campaign,clicks,app_installs",
  active_users: "channel,date,app_au",
  retention: "channel,date,startUsers,value_0,rate_0",
  revenue: "channel,date,totalUniqueUsers,totalRevenue,totalCost,day_0",
} as const satisfies { readonly [kind in ReportKind]: string };

let reports: Reports;
const every = suite("every report");
every.before(async () => {
  reports = await startReports();
  await reports.writeFacts(threeCampaigns);
});
every.before.each(() => {
  reports.circumstances.timeoutMs = 60_000;
  reports.failures.length = 0;
});
every.after(() => reports.close());

const call = (method: "GET" | "POST" | "DELETE", kind: ReportKind, more: string, body?: object): Promise<Answer> =>
  reports.call(method, `${reportPath(kind, shop.name)}${more}`, {
    token: "owner",
    headers: { "X-Min-Position": "0" },
    ...(body === undefined ? {} : { body }),
  });
const requested = async (kind: ReportKind): Promise<string> => {
  const answer = await call("POST", kind, "", queries[kind]);
  assert.is(answer.status, 200, answer.text);
  const { task, data } = answer.json as { task?: { taskId: string }; data: { taskId: string } };
  return (task ?? data).taskId;
};
const stateOf = async (kind: ReportKind, taskId: string) => taskStateIn((await call("GET", kind, `/${taskId}`)).json);
const statusOf = async (kind: ReportKind, taskId: string) => (await stateOf(kind, taskId)).status;
const typesOf = async (taskId: string) => (await reports.events(taskId)).map(({ type }) => type);

for (const kind of kinds) {
  every(`${kind} runs to its end, which canceling does not change`, async () => {
    const taskId = await requested(kind);
    await reports.runUntil(async () => (await statusOf(kind, taskId)) === "SUCCESS");
    const answer = await call("GET", kind, `/${taskId}`);
    assert.ok(Object.hasOwn(answer.json as object, resultMember[kind]), answer.text);
    const csv = (await call("GET", kind, `/${taskId}?format=csv`)).text;
    assert.ok(csv.startsWith(csvHeader[kind]), csv);
    assert.is((await call("DELETE", kind, `/${taskId}`)).status, 204);
    assert.is((await call("GET", kind, `/${taskId}`)).text, answer.text);
    assert.equal(await typesOf(taskId), ["ReportRequested", "ReportStarted", "ReportSucceeded"]);
  });

  every(`${kind} is found and canceled on the path of its kind only`, async () => {
    const taskId = await requested(kind);
    for (const other of kinds.filter((name) => name !== kind)) {
      for (const method of ["GET", "DELETE"] as const) {
        const { status, code } = problemOf(await call(method, other, `/${taskId}`));
        assert.equal([status, code], [404, "REPORT_TASK_NOT_FOUND"], `${method} as ${other}`);
      }
    }
    assert.equal(await typesOf(taskId), ["ReportRequested"]);
    const { status, text, headers } = await call("DELETE", kind, `/${taskId.toUpperCase()}`);
    assert.equal([status, text], [204, ""]);
    assert.match(String(headers["x-log-position"]), /^\d+$/);
    assert.is(await statusOf(kind, taskId), "CANCELED");
  });

  every(`${kind} stops in Postgres when it is canceled while it runs`, async () => {
    const release = await reports.lockFacts();
    try {
      const taskId = await requested(kind);
      let canceledAt = 0;
      await reports.runUntil(async () => {
        if (canceledAt === 0 && (await reports.waitingStatements()) === 1) {
          assert.is(await statusOf(kind, taskId), "RUNNING");
          assert.is((await call("DELETE", kind, `/${taskId}`)).status, 204);
          canceledAt = performance.now();
        }
        return canceledAt > 0 && (await reports.waitingStatements()) === 0;
      });
      const tookMs = performance.now() - canceledAt;
      assert.ok(tookMs < 1_000, `took ${tookMs} ms`);
      assert.equal(await typesOf(taskId), ["ReportRequested", "ReportStarted", "ReportCanceled"]);
      assert.equal([await statusOf(kind, taskId), reports.failures], ["CANCELED", []]);
    } finally {
      await release();
    }
  });

  every(`${kind} fails when its statement takes too long`, async () => {
    const release = await reports.lockFacts();
    try {
      reports.circumstances.timeoutMs = 100;
      const taskId = await requested(kind);
      await reports.runUntil(async () => (await statusOf(kind, taskId)) === "FAILURE");
      assert.equal(await typesOf(taskId), ["ReportRequested", "ReportStarted", "ReportFailed"]);
      assert.equal((await stateOf(kind, taskId)).notifications, notificationsIn("en", [failureNotifications.too_slow]));
    } finally {
      await release();
    }
  });
}

every("canceled by another request at the same time has one end", async () => {
  const [taskId, endedAt] = [await requested("actuals"), new Date().toISOString()];
  const cause = { actor: { kind: "reactor", name: "reports" }, requestId: "r", occurredAt: endedAt } as const;
  const fail = { type: "FailReport", data: { taskId, reason: "too_slow", endedAt } } as const;
  const failing = handleCommand(reports.log, reportTask, reportTaskStream(taskId), taskId, fail, cause);
  const [canceled] = await Promise.all([call("DELETE", "actuals", `/${taskId}`), failing]);
  assert.equal([canceled.status, (await typesOf(taskId)).length], [204, 2]);
});

every.run();
