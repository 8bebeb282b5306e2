import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fold } from "../../../domain/decider.ts";
import type { ReportTaskEvent } from "../../../domain/report-tasks/events.ts";
import { type ReportTaskCommand, reportTask } from "../../../domain/report-tasks/report-task.ts";

const taskId = "0d7e1a6e-3f0c-8a51-9a54-0b0a33f1d001";

const requested = {
  type: "ReportRequested",
  data: {
    taskId,
    appId: 1,
    report: "actuals",
    query: { from: "2026-03-01", to: "2026-03-31", groupBys: [], metrics: ["clicks"], filters: [], sorts: [] },
    onlyChannels: null,
    requestedAt: "2026-04-01T00:00:00.000Z",
  },
} as const satisfies ReportTaskEvent;
const started = { type: "ReportStarted", data: { taskId } } as const satisfies ReportTaskEvent;
const succeeded = {
  type: "ReportSucceeded",
  data: { taskId, rowCount: 1, rowsHash: "ab", notifications: [], endedAt: "2026-04-01T00:00:01.000Z" },
} as const satisfies ReportTaskEvent;
const failed = {
  type: "ReportFailed",
  data: { taskId, reason: "time_out", endedAt: "2026-04-01T00:01:01.000Z" },
} as const satisfies ReportTaskEvent;

const request: ReportTaskCommand = { type: "RequestReport", data: requested.data };
const start: ReportTaskCommand = { type: "StartReport", data: started.data };
const succeed: ReportTaskCommand = { type: "SucceedReport", data: succeeded.data };
const fail: ReportTaskCommand = { type: "FailReport", data: failed.data };

const decide = (given: readonly ReportTaskEvent[], when: ReportTaskCommand) =>
  reportTask.decide(when, fold(reportTask, given));

const task = suite("a report task");

task("is requested, started and ended", () => {
  assert.equal(decide([], request), [requested]);
  assert.equal(decide([requested], start), [started]);
  assert.equal(decide([requested, started], succeed), [succeeded]);
  assert.equal(decide([requested, started], fail), [failed]);
});

task("can fail before it has started", () => {
  assert.equal(decide([requested], fail), [failed]);
});

task("needs a request before anything else", () => {
  for (const command of [start, succeed, fail]) assert.equal(decide([], command), { rejected: "REPORT_NOT_REQUESTED" });
});

task("keeps the end it has", () => {
  assert.equal(decide([requested, started, succeeded], fail), { rejected: "REPORT_ENDED_OTHERWISE" });
  assert.equal(decide([requested, started, failed], succeed), { rejected: "REPORT_ENDED_OTHERWISE" });
  assert.equal(decide([requested, started, failed], start), []);
});

task("decides twice as once", () => {
  const steps: readonly (readonly [readonly ReportTaskEvent[], ReportTaskCommand])[] = [
    [[], request],
    [[requested], start],
    [[requested, started], succeed],
    [[requested, started], fail],
  ];
  for (const [given, command] of steps) {
    const decided = decide(given, command);
    if (!Array.isArray(decided)) throw new Error("was refused");
    assert.equal(decide([...given, ...decided], command), []);
  }
});

task.run();
