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
  /** Besides the task, what the caller asks for and may see, as a request of its own would say. */
  | { readonly type: "CancelReport"; readonly data: ReportCanceled["data"] & Asker };

/** Which report is computed, and for whom; `onlyChannels` null: all (contract/tokens.md#permissions). */
type Asker = Pick<ReportRequested["data"], "appId" | "report" | "onlyChannels">;

export type ReportTaskState =
  | { readonly stage: "Absent" }
  | { readonly stage: "Requested" | "Started"; readonly asker: Asker }
  | { readonly stage: "Succeeded" | "Failed" | "Canceled"; readonly asker: Asker; readonly endedAt: string };

/**
 * `REPORT_NOT_REQUESTED`: there is no such task. `REPORT_ENDED_OTHERWISE`: it has ended, and ends do not change
 * (contract/reports.md#tasks).
 */
export type ReportTaskRejection = "REPORT_NOT_REQUESTED" | "REPORT_ENDED_OTHERWISE";

type Decision = readonly ReportTaskEvent[] | Rejection<ReportTaskRejection>;

/** One report asked for: from its request to the one end it has (contract/reports.md#tasks). */
export const reportTask: Decider<ReportTaskCommand, ReportTaskEvent, ReportTaskState, ReportTaskRejection> = {
  initialState: { stage: "Absent" },

  decide(command, state) {
    switch (command.type) {
      case "RequestReport":
        return requestReport(command.data, state);
      case "StartReport":
        return startReport(command.data, state);
      case "SucceedReport":
        return endReport({ type: "ReportSucceeded", data: command.data }, "Succeeded", state);
      case "FailReport":
        return endReport({ type: "ReportFailed", data: command.data }, "Failed", state);
      case "CancelReport":
        return cancelReport(command.data, state);
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case "ReportRequested":
        return { stage: "Requested", asker: askerOf(event.data) };
      case "ReportStarted":
        return state.stage === "Absent" ? state : { stage: "Started", asker: state.asker };
      case "ReportSucceeded":
        return ended(state, "Succeeded", event.data.endedAt);
      case "ReportFailed":
        return ended(state, "Failed", event.data.endedAt);
      case "ReportCanceled":
        return ended(state, "Canceled", event.data.endedAt);
    }
    return assertNever(event);
  },
};

type End = "Succeeded" | "Failed" | "Canceled";

function ended(state: ReportTaskState, stage: End, endedAt: string): ReportTaskState {
  return state.stage === "Absent" ? state : { stage, asker: state.asker, endedAt };
}

function askerOf({ appId, report, onlyChannels }: Asker): Asker {
  return { appId, report, onlyChannels };
}

function requestReport(data: ReportRequested["data"], state: ReportTaskState): Decision {
  return state.stage === "Absent" ? [{ type: "ReportRequested", data }] : [];
}

/** A task that has started, or has ended since, is not started again. */
function startReport(data: ReportStarted["data"], state: ReportTaskState): Decision {
  if (state.stage === "Absent") return { rejected: "REPORT_NOT_REQUESTED" };
  return state.stage === "Requested" ? [{ type: "ReportStarted", data }] : [];
}

function endReport(end: ReportSucceeded | ReportFailed, stage: End, state: ReportTaskState): Decision {
  switch (state.stage) {
    case "Absent":
      return { rejected: "REPORT_NOT_REQUESTED" };
    case "Requested":
    case "Started":
      return [end];
    case "Succeeded":
    case "Failed":
    case "Canceled":
      return state.stage === stage ? [] : { rejected: "REPORT_ENDED_OTHERWISE" };
    default:
      return assertNever(state);
  }
}

/**
 * Nobody cancels what it may not read, nor what is forgotten. A task that has ended keeps its end, and canceling it is
 * no fault of the caller: the report came first (contract/reports.md#tasks).
 */
function cancelReport({ taskId, endedAt, ...asker }: ReportCanceled["data"] & Asker, state: ReportTaskState): Decision {
  if (state.stage === "Absent" || !mayRead(state.asker, asker)) return { rejected: "REPORT_NOT_REQUESTED" };
  if (!("endedAt" in state)) return [{ type: "ReportCanceled", data: { taskId, endedAt } }];
  return isExpired(Date.parse(state.endedAt), Date.parse(endedAt)) ? { rejected: "REPORT_NOT_REQUESTED" } : [];
}

/**
 * A caller confined to channels reads the reports over its very channels; others read all of their app
 * (contract/tokens.md#permissions).
 */
function mayRead(of: Asker, caller: Asker): boolean {
  if (of.appId !== caller.appId || of.report !== caller.report) return false;
  if (caller.onlyChannels === null) return true;
  const seen = new Set(caller.onlyChannels);
  return (
    of.onlyChannels !== null && of.onlyChannels.length === seen.size && of.onlyChannels.every((name) => seen.has(name))
  );
}
