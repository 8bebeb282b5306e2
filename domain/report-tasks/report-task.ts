import { assertNever, type Decider, type Rejection } from "../decider.ts";
import type { ReportFailed, ReportRequested, ReportStarted, ReportSucceeded, ReportTaskEvent } from "./events.ts";

export type ReportTaskCommand =
  | { readonly type: "RequestReport"; readonly data: ReportRequested["data"] }
  | { readonly type: "StartReport"; readonly data: ReportStarted["data"] }
  | { readonly type: "SucceedReport"; readonly data: ReportSucceeded["data"] }
  | { readonly type: "FailReport"; readonly data: ReportFailed["data"] };

export type ReportTaskState =
  | { readonly stage: "Absent" }
  | { readonly stage: "Requested" }
  | { readonly stage: "Started" }
  | { readonly stage: "Succeeded" }
  | { readonly stage: "Failed" };

/** `REPORT_NOT_REQUESTED`: there is no such task. `REPORT_ENDED_OTHERWISE`: it has ended, and ends do not change (D7.1). */
export type ReportTaskRejection = "REPORT_NOT_REQUESTED" | "REPORT_ENDED_OTHERWISE";

type Decision = readonly ReportTaskEvent[] | Rejection<ReportTaskRejection>;

/** One report asked for: from its request to the one end it has (A: Report task). */
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
      default:
        return assertNever(command);
    }
  },

  evolve(_state, event) {
    switch (event.type) {
      case "ReportRequested":
        return { stage: "Requested" };
      case "ReportStarted":
        return { stage: "Started" };
      case "ReportSucceeded":
        return { stage: "Succeeded" };
      case "ReportFailed":
        return { stage: "Failed" };
    }
    return assertNever(event);
  },
};

function requestReport(data: ReportRequested["data"], state: ReportTaskState): Decision {
  return state.stage === "Absent" ? [{ type: "ReportRequested", data }] : [];
}

/** A task that has started, or has ended since, is not started again. */
function startReport(data: ReportStarted["data"], state: ReportTaskState): Decision {
  if (state.stage === "Absent") return { rejected: "REPORT_NOT_REQUESTED" };
  return state.stage === "Requested" ? [{ type: "ReportStarted", data }] : [];
}

function endReport(
  end: ReportSucceeded | ReportFailed,
  stage: "Succeeded" | "Failed",
  state: ReportTaskState,
): Decision {
  switch (state.stage) {
    case "Absent":
      return { rejected: "REPORT_NOT_REQUESTED" };
    case "Requested":
    case "Started":
      return [end];
    case "Succeeded":
    case "Failed":
      return state.stage === stage ? [] : { rejected: "REPORT_ENDED_OTHERWISE" };
    default:
      return assertNever(state);
  }
}
