import { suite } from "uvu";
import * as assert from "uvu/assert";
import { handleCommand } from "../../../commands/handle-command.ts";
import { reportTask } from "../../../domain/report-tasks/report-task.ts";
import { reportTaskStream } from "../../../domain/streams.ts";
import { threeCampaigns } from "./advertising.ts";
import { clicksByCampaign, type Reports, startReports } from "./reports.ts";

let reports: Reports;
const canceling = suite("canceling an actuals report");
canceling.before(async () => {
  reports = await startReports();
  await reports.writeFacts(threeCampaigns);
});
canceling.before.each(() => {
  reports.circumstances.beforeRun = async () => undefined;
  reports.failures.length = 0;
});
canceling.after(() => reports.close());

const typesOf = async (taskId: string) => (await reports.events(taskId)).map(({ type }) => type);
const statusOf = async (taskId: string): Promise<unknown> =>
  ((await reports.read(taskId)).json as { task: { status: string } }).task.status;

canceling("ends a waiting one, which never starts", async () => {
  const taskId = await reports.requested(clicksByCampaign);
  const answer = await reports.cancel(taskId);
  assert.is(answer.status, 204, answer.text);
  assert.is(answer.text, "");
  assert.match(String(answer.headers["x-log-position"]), /^\d+$/);
  const [, canceled] = await reports.events(taskId);
  const { endedAt } = (canceled?.data ?? {}) as { endedAt?: string };
  const { json } = await reports.read(taskId);
  const { asOfPosition } = (json as { task: { asOfPosition: string } }).task;
  assert.equal(json, { task: { status: "CANCELED", taskId, endedAt, asOfPosition } });

  const later = await reports.ended(clicksByCampaign);
  assert.is(await statusOf(later), "SUCCESS");
  assert.equal(await typesOf(taskId), ["ReportRequested", "ReportCanceled"]);
});

canceling("stops the statement of a running one in Postgres, within a second", async () => {
  const release = await reports.lockFacts();
  try {
    const taskId = await reports.requested(clicksByCampaign);
    let canceledAt = 0;
    await reports.runUntil(async () => {
      if (canceledAt === 0 && (await reports.waitingStatements()) === 1) {
        assert.is(await statusOf(taskId), "RUNNING");
        assert.is((await reports.cancel(taskId)).status, 204);
        canceledAt = performance.now();
      }
      return canceledAt > 0 && (await reports.waitingStatements()) === 0;
    });
    const tookMs = performance.now() - canceledAt;
    assert.ok(tookMs < 1_000, `took ${tookMs} ms`);
    assert.equal(await typesOf(taskId), ["ReportRequested", "ReportStarted", "ReportCanceled"]);
    assert.is(await statusOf(taskId), "CANCELED");
    assert.equal(reports.failures, []);
  } finally {
    await release();
  }
});

canceling("frees the place of a running one for the next", async () => {
  const release = await reports.lockFacts();
  const [one = "", other = "", next = ""] = await Promise.all([1, 2, 3].map(() => reports.requested(clicksByCampaign)));
  let released: Promise<void> | null = null;
  await reports.runUntil(async () => {
    if (released === null && (await reports.waitingStatements()) === 2) {
      await Promise.all(
        [one, other, next].map(async (taskId) => {
          if ((await statusOf(taskId)) === "RUNNING") await reports.cancel(taskId);
        }),
      );
      released = release();
    }
    const statuses = await Promise.all([one, other, next].map(statusOf));
    return statuses.filter((status) => status === "CANCELED").length === 2 && statuses.includes("SUCCESS");
  });
  assert.equal(reports.failures, []);
});

canceling("twice, or after its end, changes nothing and is no fault", async () => {
  const canceled = await reports.requested(clicksByCampaign);
  const succeeded = await reports.ended(clicksByCampaign);
  assert.is((await reports.cancel(canceled)).status, 204);
  for (const taskId of [canceled, succeeded]) {
    const before = await reports.read(taskId);
    const answer = await reports.cancel(taskId);
    assert.is(answer.status, 204);
    assert.match(String(answer.headers["x-log-position"]), /^\d+$/);
    assert.equal((await reports.read(taskId)).json, before.json);
  }
  assert.is(await statusOf(succeeded), "SUCCESS");
});

canceling("is for those who may read the report, and others are told that there is none", async () => {
  const ofOwner = await reports.requested(clicksByCampaign);
  const ofPartner = await reports.requested(clicksByCampaign, "partner");
  for (const [id, token, status] of [
    [ofOwner, "nobody", 401],
    [ofOwner, "link", 403],
    [ofOwner, "ofOtherApp", 404],
    [ofOwner, "partner", 404],
    [ofPartner, "otherPartner", 404],
    ["00000000-0000-8000-8000-000000000000", "owner", 404],
    ["not-a-task", "owner", 404],
    ["%27", "owner", 404],
  ] as const) {
    assert.is((await reports.cancel(id, token)).status, status, `${id} for ${token}`);
  }
  assert.is(((await reports.cancel(ofOwner, "partner")).json as { code: string }).code, "REPORT_TASK_NOT_FOUND");
  assert.equal(await typesOf(ofOwner), ["ReportRequested"]);
  assert.is((await reports.cancel(ofPartner, "partner")).status, 204);
  assert.is((await reports.cancel(ofOwner.toUpperCase(), "agency")).status, 204);
  assert.is(await statusOf(ofOwner), "CANCELED");
});

canceling("races with other ends: the first in the stream is the one", async () => {
  const cause = { actor: { kind: "reactor", name: "report-runner" }, requestId: "r", occurredAt: "" } as const;
  const ends = new Set<string>();
  for (let round = 0; round < 20; round += 1) {
    const taskId = await reports.requested(clicksByCampaign);
    const fail = {
      type: "FailReport",
      data: { taskId, reason: "too_slow", endedAt: new Date().toISOString() },
    } as const;
    const stream = reportTaskStream(taskId);
    const racing = () => handleCommand(reports.log, reportTask, stream, taskId, fail, cause);
    const [answer] = await Promise.all(
      round % 2 === 0 ? [reports.cancel(taskId), racing()] : [racing().then(() => reports.cancel(taskId))],
    );
    assert.is(answer.status, 204);
    const types = await typesOf(taskId);
    assert.is(types.length, 2, types.join());
    ends.add(types[1] ?? "");
    assert.is(await statusOf(taskId), types[1] === "ReportFailed" ? "FAILURE" : "CANCELED");
  }
  assert.ok(ends.has("ReportFailed"));
});

canceling("that comes while rows are being stored leaves no rows to read", async () => {
  const taskId = await reports.requested(clicksByCampaign);
  reports.circumstances.beforeRun = async (task) => {
    if (task.taskId === taskId) await reports.cancel(taskId);
  };
  await reports.runUntil(async () => (await typesOf(taskId)).length === 3);
  await reports.ended(clicksByCampaign);
  assert.equal(await typesOf(taskId), ["ReportRequested", "ReportStarted", "ReportCanceled"]);
  assert.equal(Object.keys((await reports.read(taskId)).json as object), ["task"]);
  assert.equal(reports.failures, []);
});

canceling.run();
