import fc from "fast-check";
import { suite } from "uvu";
import type { ReportTaskEvent } from "../../../domain/report-tasks/events.ts";
import {
  type ReportTaskCommand,
  type ReportTaskRejection,
  reportTask,
} from "../../../domain/report-tasks/report-task.ts";
import { aReportRequest } from "../../examples/tasks.ts";
import { addRules, assertDecidesOnce, type Rule } from "../../support/decider-specification.ts";

const requested = aReportRequest(1);
const { taskId } = requested.data;
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
  caller: { readonly appId?: number; readonly report?: "actuals"; readonly onlyChannels?: readonly string[] } = {},
) =>
  ({
    type: "CancelReport",
    data: { ...canceled.data, appId: 1, report: "actuals", onlyChannels: null, ...caller },
  }) as const satisfies ReportTaskCommand;

const days = 24 * 60 * 60 * 1000;
/** Canceling so many milliseconds after the task has ended. */
const cancelAfter = (ms: number): ReportTaskCommand => {
  const { type, data } = cancel();
  return { type, data: { ...data, endedAt: new Date(Date.parse(data.endedAt) + ms).toISOString() } };
};
const ofPartner: ReportTaskEvent = {
  ...requested,
  data: { ...requested.data, onlyChannels: ["kakao", "partner"] },
};
const endedAt = canceled.data.endedAt;
const whole = [requested, started] as const;
const unknown = { rejected: "REPORT_NOT_REQUESTED" } as const;
const otherwise = { rejected: "REPORT_ENDED_OTHERWISE" } as const;

const kakao = cancel({ onlyChannels: ["kakao"] });
const kakaoAndGoogle = cancel({ onlyChannels: ["kakao", "google"] });
const kakaoAndPartner = cancel({ onlyChannels: ["kakao", "partner"] });

const rules: readonly Rule<ReportTaskCommand, ReportTaskEvent, ReportTaskRejection>[] = [
  ["is requested", [], request, [requested]],
  ["is requested once", [requested], request, []],
  ["is started", [requested], start, [started]],
  ["is started once", whole, start, []],
  ["is not started after its end", [requested, canceled], start, []],
  ["succeeds", whole, succeed, [succeeded]],
  ["succeeds once", [...whole, succeeded], succeed, []],
  ["fails", whole, fail, [failed]],
  ["fails before it has started", [requested], fail, [failed]],
  ["fails once", [...whole, failed], fail, []],
  ["keeps its success", [...whole, succeeded], fail, otherwise],
  ["keeps its failure", [...whole, failed], succeed, otherwise],
  ["that was canceled does not succeed", [...whole, canceled], succeed, otherwise],
  ["that was canceled does not fail", [...whole, canceled], fail, otherwise],
  ["is canceled while it waits", [requested], cancel(), [canceled]],
  ["is canceled while it runs", whole, cancel(), [canceled]],
  ["is not canceled for another app", [requested], cancel({ appId: 2 }), unknown],
  ["of all channels is not canceled by a partner", [requested], kakao, unknown],
  ["of a partner is not canceled by one with fewer channels", [ofPartner], kakao, unknown],
  ["of a partner is not canceled by one with other channels", [ofPartner], kakaoAndGoogle, unknown],
  ["of a partner is canceled by one with the same channels", [ofPartner], kakaoAndPartner, [canceled]],
  ["of a partner is canceled by callers with all channels", [ofPartner], cancel(), [canceled]],
  ["does not start before its request", [], start, unknown],
  ["does not succeed before its request", [], succeed, unknown],
  ["does not fail before its request", [], fail, unknown],
  ["is not canceled before its request", [], cancel(), unknown],
  ...[succeeded, failed, canceled].flatMap((end): typeof rules => {
    const history = [...whole, { ...end, data: { ...end.data, endedAt } } as ReportTaskEvent];
    return [
      [`after ${end.type} is canceled without effect`, history, cancelAfter(0), []],
      [`after ${end.type} is canceled without effect for 7 days`, history, cancelAfter(7 * days - 1), []],
      [`after ${end.type} is unknown after 7 days`, history, cancelAfter(7 * days), unknown],
    ];
  }),
];

const task = suite("a report task");
addRules(task, reportTask, rules);

task("decides twice as once", () => {
  assertDecidesOnce(reportTask, fc.constantFrom(request, start, succeed, fail, cancel()));
});

task.run();
