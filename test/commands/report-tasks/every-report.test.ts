import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ReportKind } from "../../../domain/report-tasks/events.ts";
import { failureNotifications } from "../../../domain/report-tasks/failure-notifications.ts";
import { reportPath, taskStateIn } from "../../../infra/api-client/report-tasks.ts";
import { notificationsIn } from "../../../infra/http/i18n/messages.ts";
import { shop } from "../../examples/app.ts";
import type { Answer } from "../../support/client.ts";
import { threeCampaigns } from "./advertising.ts";
import { lastWeek, type Reports, startReports } from "./reports.ts";

const range = { from: lastWeek[0], to: lastWeek[6], filters: [] };
const blocks = { ...range, granularity: "day", groupBy: { fields: ["channel"] } };
const questions = {
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
const kinds = Object.keys(questions) as ReportKind[];
const ownAnswer = { actuals: "actuals", active_users: "activeUsers", retention: "retention", revenue: "data" } as const;

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
  const answer = await call("POST", kind, "", questions[kind]);
  assert.is(answer.status, 200, answer.text);
  const { task, data } = answer.json as { task?: { taskId: string }; data: { taskId: string } };
  return (task ?? data).taskId;
};
const stateOf = async (kind: ReportKind, taskId: string) =>
  taskStateIn(kind, (await call("GET", kind, `/${taskId}`)).json);
const statusOf = async (kind: ReportKind, taskId: string) => (await stateOf(kind, taskId)).status;
const typesOf = async (taskId: string) => (await reports.events(taskId)).map(({ type }) => type);

for (const kind of kinds) {
  every(`runs to its end, and is then kept as it is: ${kind}`, async () => {
    const taskId = await requested(kind);
    await reports.runUntil(async () => (await statusOf(kind, taskId)) === "SUCCESS");
    const answer = await call("GET", kind, `/${taskId}`);
    assert.ok(Object.hasOwn(answer.json as object, ownAnswer[kind]), answer.text);
    assert.is((await call("DELETE", kind, `/${taskId}`)).status, 204);
    assert.is((await call("GET", kind, `/${taskId}`)).text, answer.text);
    assert.equal(await typesOf(taskId), ["ReportRequested", "ReportStarted", "ReportSucceeded"]);
  });

  every(`is unknown, and cannot be canceled, where other reports stand: ${kind}`, async () => {
    const taskId = await requested(kind);
    for (const other of kinds.filter((name) => name !== kind)) {
      for (const method of ["GET", "DELETE"] as const) {
        const { status, json } = await call(method, other, `/${taskId}`);
        assert.equal(
          [status, (json as { code: string }).code],
          [404, "REPORT_TASK_NOT_FOUND"],
          `${method} as ${other}`,
        );
      }
    }
    assert.equal(await typesOf(taskId), ["ReportRequested"]);
    assert.is((await call("DELETE", kind, `/${taskId}`)).status, 204);
    assert.is(await statusOf(kind, taskId), "CANCELED");
  });

  every(`stops in Postgres when it is canceled while it runs: ${kind}`, async () => {
    const release = await reports.lockFacts();
    try {
      const taskId = await requested(kind);
      let isCanceled = false;
      await reports.runUntil(async () => {
        if (!isCanceled && (await reports.waitingStatements()) === 1) {
          assert.is(await statusOf(kind, taskId), "RUNNING");
          assert.is((await call("DELETE", kind, `/${taskId}`)).status, 204);
          isCanceled = true;
        }
        return isCanceled && (await reports.waitingStatements()) === 0;
      });
      assert.equal(await typesOf(taskId), ["ReportRequested", "ReportStarted", "ReportCanceled"]);
      assert.is(await statusOf(kind, taskId), "CANCELED");
      assert.equal(reports.failures, []);
    } finally {
      await release();
    }
  });

  every(`fails when its statement takes too long, and says what to narrow: ${kind}`, async () => {
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

every.run();
