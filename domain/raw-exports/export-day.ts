import { assertNever, type Decider, type Rejection } from "../decider.ts";
import type { LocalDate } from "../values/local-time.ts";
import type { ExportCompleted, ExportFailed, ExportRequested, RawExportEvent } from "./events.ts";
import { rawExportLimits } from "./export-query.ts";
import { reportIdOf } from "./report-id.ts";

export type ExportDayCommand =
  | {
      readonly type: "RequestExport";
      readonly data: Omit<ExportRequested["data"], "reportId"> & { readonly date: LocalDate };
    }
  | { readonly type: "CompleteExport"; readonly data: ExportCompleted["data"] }
  | { readonly type: "FailExport"; readonly data: ExportFailed["data"] };

interface RequestedExport {
  readonly reportId: number;
  readonly commandId: string;
  readonly stage: "requested" | "completed" | "failed";
}

/** The exports of the day in the order of their requests, numbered from 1. */
export interface ExportDayState {
  readonly exports: readonly RequestedExport[];
}

/**
 * `EXPORT_LIMIT_REACHED`: the app has requested the maximum of exports on this date
 * (contract/exports.md#requesting). `EXPORT_NOT_REQUESTED`: there is no such export. `EXPORT_ENDED_OTHERWISE`: the
 * export has already ended.
 */
export type RawExportRejection = "EXPORT_LIMIT_REACHED" | "EXPORT_NOT_REQUESTED" | "EXPORT_ENDED_OTHERWISE";

type Decision = readonly RawExportEvent[] | Rejection<RawExportRejection>;

function decide(command: ExportDayCommand, state: ExportDayState): Decision {
  switch (command.type) {
    case "RequestExport":
      return requestExport(command.data, state);
    case "CompleteExport":
      return endExport({ type: "ExportCompleted", data: command.data }, "completed", state);
    case "FailExport":
      return endExport({ type: "ExportFailed", data: command.data }, "failed", state);
    default:
      return assertNever(command);
  }
}

function requestExport(
  { date, ...data }: Extract<ExportDayCommand, { type: "RequestExport" }>["data"],
  { exports }: ExportDayState,
): Decision {
  if (exports.some(({ commandId }) => commandId === data.commandId)) return [];
  if (exports.length >= rawExportLimits.perDay) return { rejected: "EXPORT_LIMIT_REACHED" };
  const reportId = reportIdOf({ appId: data.appId, date, number: exports.length + 1 });
  return [{ type: "ExportRequested", data: { reportId, ...data } }];
}

function endExport(
  end: ExportCompleted | ExportFailed,
  stage: "completed" | "failed",
  { exports }: ExportDayState,
): Decision {
  const found = exports.find(({ reportId }) => reportId === end.data.reportId);
  if (found === undefined) return { rejected: "EXPORT_NOT_REQUESTED" };
  if (found.stage === "requested") return [end];
  return found.stage === stage ? [] : { rejected: "EXPORT_ENDED_OTHERWISE" };
}

function evolve(state: ExportDayState, event: RawExportEvent): ExportDayState {
  switch (event.type) {
    case "ExportRequested": {
      const { reportId, commandId } = event.data;
      return { exports: [...state.exports, { reportId, commandId, stage: "requested" }] };
    }
    case "ExportCompleted":
      return ended(state, event.data.reportId, "completed");
    case "ExportFailed":
      return ended(state, event.data.reportId, "failed");
    default:
      return assertNever(event);
  }
}

function ended(state: ExportDayState, reportId: number, stage: "completed" | "failed"): ExportDayState {
  return { exports: state.exports.map((one) => (one.reportId === reportId ? { ...one, stage } : one)) };
}

/**
 * The exports that an app requests on one local date, whose number is limited (contract/exports.md#requesting).
 */
export const exportDay: Decider<ExportDayCommand, RawExportEvent, ExportDayState, RawExportRejection> = {
  initialState: { exports: [] },
  decide,
  evolve,
};
