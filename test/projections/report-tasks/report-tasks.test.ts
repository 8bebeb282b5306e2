import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ReportTaskEvent } from "../../../domain/report-tasks/events.ts";
import { reportTasksProjection } from "../../../projections/report-tasks/projection.ts";
import {
  canceledReportTasks,
  hadTurn,
  openReportTasks,
  reportTaskOf,
  reportTasksEndedBy,
  succeededReportTasks,
} from "../../../projections/report-tasks/queries.ts";
import { recordedLog } from "../../examples/recorded-log.ts";
import { aReportRequest, taskId as id } from "../../examples/tasks.ts";
import { openProjection } from "../one-projection.ts";
import { assertSameRowsForAnySplit } from "../split-property.ts";

const model = await openProjection(reportTasksProjection);

const requested = (number: number, onlyChannels: readonly string[] | null = null, now?: string): ReportTaskEvent =>
  aReportRequest(number, { onlyChannels, ...(now === undefined ? {} : { now }) });
const started = (number: number): ReportTaskEvent => ({ type: "ReportStarted", data: { taskId: id(number) } });
const endedAt = "2026-04-01T00:00:01.000Z";
const notifications = [
  { code: "EXCEEDED_LIMIT_ON_MAX_ROW_COUNT.rows", type: "WARNING", params: { rows: 10_000 } },
] as const;
const succeeded = (number: number): ReportTaskEvent => ({
  type: "ReportSucceeded",
  data: { taskId: id(number), rowCount: 2, rowsHash: "ab", notifications, endedAt },
});
const failed = (number: number): ReportTaskEvent => ({
  type: "ReportFailed",
  data: { taskId: id(number), reason: "too_slow", endedAt },
});
const canceled = (number: number): ReportTaskEvent => ({
  type: "ReportCanceled",
  data: { taskId: id(number), endedAt },
});

/** Seven tasks: requested, running, done, done for a partner, failed, canceled before it ran and while. */
const log = recordedLog<ReportTaskEvent>([
  requested(1),
  requested(2),
  started(2),
  requested(3),
  requested(4, ["kakao"]),
  started(3),
  succeeded(3),
  started(4),
  requested(5),
  succeeded(4),
  failed(5),
  requested(6),
  requested(7),
  canceled(6),
  started(7),
  canceled(7),
]);

const tasks = suite("report tasks");
tasks.after(() => model.close());

tasks("have the query, the stage and the end", async () => {
  await model.rebuild(log);
  const now = new Date("2026-04-01T00:00:00.000Z");
  const task = {
    appId: 1,
    requestedBy: null,
    report: "actuals",
    query: aReportRequest(1).data.query,
    onlyChannels: null,
    now,
  };
  const known = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((number) => reportTaskOf(model, 1, id(number))));
  const end = { endedAt: new Date(endedAt) };
  const none = { endedAt: null, rowCount: null, rowsHash: null, notifications: null, failure: null };
  const hasTurn = false;
  assert.equal(known, [
    { ...none, ...task, taskId: id(1), position: 100n, stage: "requested", hasTurn: true },
    { ...none, ...task, taskId: id(2), position: 200n, stage: "started", hasTurn },
    {
      ...task,
      ...end,
      taskId: id(3),
      position: 400n,
      stage: "succeeded",
      rowCount: 2,
      rowsHash: "ab",
      notifications,
      failure: null,
      hasTurn,
    },
    {
      ...task,
      ...end,
      taskId: id(4),
      position: 500n,
      onlyChannels: ["kakao"],
      stage: "succeeded",
      rowCount: 2,
      rowsHash: "ab",
      notifications,
      failure: null,
      hasTurn,
    },
    { ...none, ...task, ...end, taskId: id(5), position: 900n, stage: "failed", failure: "too_slow", hasTurn },
    { ...none, ...task, ...end, taskId: id(6), position: 1200n, stage: "canceled", hasTurn },
    { ...none, ...task, ...end, taskId: id(7), position: 1300n, stage: "canceled", hasTurn },
  ]);
});

tasks("had their turn when fewer than two others were open at their request, whatever has ended since", async () => {
  await model.rebuild(recordedLog([requested(1), requested(2), started(1), started(2), requested(3), requested(4)]));
  const turns = async () =>
    Promise.all(
      [1, 2, 3, 4].map(async (number) => {
        const task = await reportTaskOf(model, 1, id(number));
        return task?.stage === "requested" ? task.hasTurn : task?.stage;
      }),
    );
  assert.equal(await turns(), ["started", "started", false, false]);
  // The fourth is of another token, which has the next turn.
  const ended = [succeeded(1), started(4)];
  await model.rebuild(
    recordedLog([
      requested(1),
      requested(2),
      started(1),
      started(2),
      requested(3),
      requested(4),
      ...ended,
      requested(5),
    ]),
  );
  assert.equal(await turns(), ["succeeded", "started", false, "started"]);
  await model.rebuild(recordedLog([requested(1), succeeded(1), requested(2), failed(2), requested(3), requested(4)]));
  assert.equal(await turns(), ["succeeded", "failed", true, true]);
});

tasks("have the 'now' of a report with asOf", async () => {
  await model.rebuild(recordedLog([requested(1, null, "2026-03-01T09:00:00.000Z")]));
  assert.equal((await reportTaskOf(model, 1, id(1)))?.now, new Date("2026-03-01T09:00:00.000Z"));
});

tasks("belong to one app", async () => {
  await model.rebuild(log);
  assert.is(await reportTaskOf(model, 2, id(1)), null);
});

tasks("are a to-do list while they are open, oldest first", async () => {
  await model.rebuild(log);
  const open = async (max: number) => (await openReportTasks(model, max)).map(({ taskId }) => taskId);
  assert.equal(await open(10), [id(1), id(2)]);
  assert.equal(await open(1), [id(1)]);
  const lost = await succeededReportTasks(model, [id(4), id(1), id(3)]);
  assert.equal(
    lost.map(({ taskId }) => taskId),
    [id(3), id(4)],
  );
});

tasks("of one app do not hide those of another in the to-do list", async () => {
  const ofOther = requested(9);
  const other = { ...ofOther, data: { ...ofOther.data, appId: 2 } } as ReportTaskEvent;
  await model.rebuild(recordedLog([requested(1), requested(2), requested(3), other]));
  const open = (await openReportTasks(model, 3)).map(({ taskId }) => taskId);
  assert.equal(open, [id(1), id(9), id(2)]);
});

tasks("of one token do not hide those of another of the app", async () => {
  const actor = (tokenId: string) => ({ kind: "token", tokenId, role: "owner" }) as const;
  const log = recordedLog<ReportTaskEvent>([1, 2, 3, 4].map((number) => requested(number)));
  const tokens = ["partner", "partner", "partner", "owner"];
  await model.rebuild(
    log.map((event, i) => ({ ...event, metadata: { ...event.metadata, actor: actor(tokens[i] ?? "") } })),
  );
  const open = (await openReportTasks(model, 3)).map(({ taskId, requestedBy }) => [taskId, requestedBy]);
  assert.equal(open, [
    [id(1), "partner"],
    [id(4), "owner"],
    [id(2), "partner"],
  ]);
});

tasks("had their turn at a position when fewer than two were open", async () => {
  await model.rebuild(log);
  assert.equal(await Promise.all([0n, 101n, 10_000n].map((position) => hadTurn(model, position))), [true, true, false]);
});

tasks("are found by their end: canceled, or ended by an instant", async () => {
  await model.rebuild(log);
  const all = [1, 2, 3, 4, 5, 6, 7].map(id);
  assert.equal([...(await canceledReportTasks(model, all))].sort(), [id(6), id(7)].sort());
  assert.equal(await canceledReportTasks(model, [id(1), id(6)]), [id(6)]);
  const end = Date.parse(endedAt);
  const endedBy = async (ms: number) => (await reportTasksEndedBy(model, all, new Date(end + ms))).length;
  assert.equal(await Promise.all([-1, 0, 1].map(endedBy)), [0, 5, 5]);
  assert.equal(await reportTasksEndedBy(model, [id(2), id(5)], new Date(end)), [id(5)]);
});

tasks("are the same in any split into batches, and applied twice", async () => {
  await assertSameRowsForAnySplit(model.db, reportTasksProjection, log, 10);
});

tasks.run();
