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
  data: { taskId, reason: "too_slow", endedAt: "2026-04-01T00:01:01.000Z" },
} as const satisfies ReportTaskEvent;

const canceled = {
  type: "ReportCanceled",
  data: { taskId, endedAt: "2026-04-01T00:00:02.000Z" },
} as const satisfies ReportTaskEvent;

const request: ReportTaskCommand = { type: "RequestReport", data: requested.data };
const start: ReportTaskCommand = { type: "StartReport", data: started.data };
const succeed: ReportTaskCommand = { type: "SucceedReport", data: succeeded.data };
const fail: ReportTaskCommand = { type: "FailReport", data: failed.data };

const cancel = (
  asker: { readonly appId?: number; readonly report?: "actuals"; readonly onlyChannels?: readonly string[] } = {},
) =>
  ({
    type: "CancelReport",
    data: { ...canceled.data, appId: 1, report: "actuals", onlyChannels: null, ...asker },
  }) as const satisfies ReportTaskCommand;

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

task("is canceled while it waits and while it runs", () => {
  assert.equal(decide([requested], cancel()), [canceled]);
  assert.equal(decide([requested, started], cancel()), [canceled]);
});

task("is canceled by whom may read it alone", () => {
  const ofPartner = { ...requested, data: { ...requested.data, onlyChannels: ["kakao", "partner"] } };
  const refused = { rejected: "REPORT_NOT_REQUESTED" };
  assert.equal(decide([requested], cancel({ appId: 2 })), refused);
  assert.equal(decide([requested], cancel({ onlyChannels: ["kakao"] })), refused);
  assert.equal(decide([ofPartner], cancel({ onlyChannels: ["kakao"] })), refused);
  assert.equal(decide([ofPartner], cancel({ onlyChannels: ["kakao", "google"] })), refused);
  assert.equal(decide([ofPartner], cancel({ onlyChannels: ["kakao", "partner"] })), [canceled]);
  assert.equal(decide([ofPartner], cancel()), [canceled]);
  assert.equal(decide([ofPartner], cancel({ appId: 2, onlyChannels: ["kakao", "partner"] })), refused);
});

task("that has ended is canceled without effect, until it is forgotten after 7 days", () => {
  const end = Date.parse(canceled.data.endedAt);
  const days = 24 * 60 * 60 * 1000;
  const later = (ms: number) => {
    const { type, data } = cancel();
    return { type, data: { ...data, endedAt: new Date(end + ms).toISOString() } };
  };
  for (const ending of [succeeded, failed, canceled]) {
    const ended = { ...ending, data: { ...ending.data, endedAt: canceled.data.endedAt } } as ReportTaskEvent;
    const history = [requested, started, ended];
    assert.equal(decide(history, later(0)), []);
    assert.equal(decide(history, later(7 * days - 1)), []);
    assert.equal(decide(history, later(7 * days)), { rejected: "REPORT_NOT_REQUESTED" });
    assert.equal(decide(history, later(7 * days + 1)), { rejected: "REPORT_NOT_REQUESTED" });
  }
});

task("needs a request before anything else", () => {
  for (const command of [start, succeed, fail, cancel()])
    assert.equal(decide([], command), { rejected: "REPORT_NOT_REQUESTED" });
});

task("keeps the end it has", () => {
  assert.equal(decide([requested, started, succeeded], fail), { rejected: "REPORT_ENDED_OTHERWISE" });
  assert.equal(decide([requested, started, failed], succeed), { rejected: "REPORT_ENDED_OTHERWISE" });
  assert.equal(decide([requested, started, canceled], succeed), { rejected: "REPORT_ENDED_OTHERWISE" });
  assert.equal(decide([requested, started, canceled], fail), { rejected: "REPORT_ENDED_OTHERWISE" });
  assert.equal(decide([requested, started, failed], start), []);
  assert.equal(decide([requested, canceled], start), []);
});

task("decides twice as once", () => {
  const steps: readonly (readonly [readonly ReportTaskEvent[], ReportTaskCommand])[] = [
    [[], request],
    [[requested], start],
    [[requested, started], succeed],
    [[requested, started], fail],
    [[requested, started], cancel()],
  ];
  for (const [given, command] of steps) {
    const decided = decide(given, command);
    if (!Array.isArray(decided)) throw new Error("was refused");
    assert.equal(decide([...given, ...decided], command), []);
  }
});

task.run();
