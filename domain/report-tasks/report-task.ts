import { assertNever, type Decider, type Rejection } from "../decider.ts";
import type {
  ReportCanceled,
  ReportFailed,
  ReportRequested,
  ReportStarted,
  ReportSucceeded,
  ReportTaskEvent,
} from "./events.ts";
import { isExpired } from "./result-retention.ts";

export type ReportTaskCommand =
  | { readonly type: "RequestReport"; readonly data: ReportRequested["data"] }
  | { readonly type: "StartReport"; readonly data: ReportStarted["data"] }
  | { readonly type: "SucceedReport"; readonly data: ReportSucceeded["data"] }
  | { readonly type: "FailReport"; readonly data: ReportFailed["data"] }
  /** With the access of the caller. */
  | { readonly type: "CancelReport"; readonly data: ReportCanceled["data"] & ReportAccess };

/**
 * App, kind and channels of a report, or of the reports that a caller may read; `onlyChannels` null: all
 * (contract/tokens.md#permissions).
 */
type ReportAccess = Pick<ReportRequested["data"], "appId" | "report" | "onlyChannels">;

export type ReportTaskState =
  | { readonly stage: "absent" }
  | { readonly stage: "requested" | "started"; readonly access: ReportAccess }
  | { readonly stage: "succeeded" | "failed" | "canceled"; readonly access: ReportAccess; readonly endedAt: string };

/**
 * `REPORT_NOT_REQUESTED`: there is no such task. `REPORT_ENDED_OTHERWISE`: the report has already finished with another
 * outcome (contract/reports.md#tasks).
 */
export type ReportTaskRejection = "REPORT_NOT_REQUESTED" | "REPORT_ENDED_OTHERWISE";

type Decision = readonly ReportTaskEvent[] | Rejection<ReportTaskRejection>;

function decide(command: ReportTaskCommand, state: ReportTaskState): Decision {
  switch (command.type) {
    case "RequestReport":
      return requestReport(command.data, state);
    case "StartReport":
      return startReport(command.data, state);
    case "SucceedReport":
      return endReport({ type: "ReportSucceeded", data: command.data }, "succeeded", state);
    case "FailReport":
      return endReport({ type: "ReportFailed", data: command.data }, "failed", state);
    case "CancelReport":
      return cancelReport(command.data, state);
    default:
      return assertNever(command);
  }
}

function requestReport(data: ReportRequested["data"], state: ReportTaskState): Decision {
  return state.stage === "absent" ? [{ type: "ReportRequested", data }] : [];
}

/** A task that has started, or has ended since, is not started again. */
function startReport(data: ReportStarted["data"], state: ReportTaskState): Decision {
  if (state.stage === "absent") return { rejected: "REPORT_NOT_REQUESTED" };
  return state.stage === "requested" ? [{ type: "ReportStarted", data }] : [];
}

type End = "succeeded" | "failed" | "canceled";

function endReport(end: ReportSucceeded | ReportFailed, stage: End, state: ReportTaskState): Decision {
  switch (state.stage) {
    case "absent":
      return { rejected: "REPORT_NOT_REQUESTED" };
    case "requested":
    case "started":
      return [end];
    case "succeeded":
    case "failed":
    case "canceled":
      return state.stage === stage ? [] : { rejected: "REPORT_ENDED_OTHERWISE" };
    default:
      return assertNever(state);
  }
}

/**
 * A caller can cancel only tasks that it may read and whose retention period has not expired. Canceling a finished task
 * changes nothing and succeeds (contract/reports.md#tasks).
 */
function cancelReport(
  { taskId, endedAt, ...access }: ReportCanceled["data"] & ReportAccess,
  state: ReportTaskState,
): Decision {
  if (state.stage === "absent" || !mayRead(state.access, access)) return { rejected: "REPORT_NOT_REQUESTED" };
  if (!("endedAt" in state)) return [{ type: "ReportCanceled", data: { taskId, endedAt } }];
  return isExpired(Date.parse(state.endedAt), Date.parse(endedAt)) ? { rejected: "REPORT_NOT_REQUESTED" } : [];
}

function evolve(state: ReportTaskState, event: ReportTaskEvent): ReportTaskState {
  switch (event.type) {
    case "ReportRequested":
      return { stage: "requested", access: accessOf(event.data) };
    case "ReportStarted":
      return state.stage === "absent" ? state : { stage: "started", access: state.access };
    case "ReportSucceeded":
      return ended(state, "succeeded", event.data.endedAt);
    case "ReportFailed":
      return ended(state, "failed", event.data.endedAt);
    case "ReportCanceled":
      return ended(state, "canceled", event.data.endedAt);
    default:
      return assertNever(event);
  }
}

function ended(state: ReportTaskState, stage: End, endedAt: string): ReportTaskState {
  return state.stage === "absent" ? state : { stage, access: state.access, endedAt };
}

function accessOf({ appId, report, onlyChannels }: ReportAccess): ReportAccess {
  return { appId, report, onlyChannels };
}

function mayRead(of: ReportAccess, caller: ReportAccess): boolean {
  return of.appId === caller.appId && of.report === caller.report && coversChannels(caller.onlyChannels, of);
}

/**
 * Whether the channels of a caller allow reading a report: a caller limited to channels can only read reports over
 * exactly these (contract/tokens.md#permissions). Null: not limited.
 */
export function coversChannels(
  visible: readonly string[] | null,
  { onlyChannels }: Pick<ReportAccess, "onlyChannels">,
): boolean {
  if (visible === null) return true;
  const seen = new Set(visible);
  return onlyChannels !== null && onlyChannels.length === seen.size && onlyChannels.every((name) => seen.has(name));
}

/** The task of one report, from its request to its outcome, which is final (contract/reports.md#tasks). */
export const reportTask: Decider<ReportTaskCommand, ReportTaskEvent, ReportTaskState, ReportTaskRejection> = {
  initialState: { stage: "absent" },
  decide,
  evolve,
};
