import { assertNever, type Decider, type Rejection } from "../decider.ts";
import type {
  MetricRowsStaged,
  SpendRowsStaged,
  UploadEvent,
  UploadFailed,
  UploadIngested,
  UploadKind,
  UploadReceived,
  UploadRejected,
  UploadSucceeded,
  UploadValidated,
} from "./events.ts";

export type UploadCommand =
  | { readonly type: "ReceiveUpload"; readonly data: UploadReceived["data"] }
  | { readonly type: "ValidateUpload"; readonly data: UploadValidated["data"] }
  | { readonly type: "RejectUpload"; readonly data: UploadRejected["data"] }
  | { readonly type: "StageRows"; readonly chunk: SpendRowsStaged | MetricRowsStaged }
  | IngestUpload
  | { readonly type: "SucceedUpload"; readonly data: UploadSucceeded["data"] }
  | { readonly type: "FailUpload"; readonly data: UploadFailed["data"] };

interface IngestUpload {
  readonly type: "IngestUpload";
  readonly data: Pick<UploadIngested["data"], "requestId" | "ingestedAt">;
}

interface Accepted {
  readonly appId: number;
  readonly kind: UploadKind;
  /** Of the whole file. */
  readonly rows: number;
}

export type UploadState =
  | { readonly stage: "Absent" }
  | { readonly stage: "Received"; readonly appId: number; readonly kind: UploadKind }
  /** `staged`: how many of its rows are in the log already, from the file's first on. */
  | ({ readonly stage: "Validated"; readonly staged: number } & Accepted)
  | { readonly stage: "Ingested" }
  | { readonly stage: "Succeeded" }
  | { readonly stage: "Failed"; readonly by: FailureCommand; readonly after: OpenStage };

/** Stages in which an upload can still fail: none of its rows is in force. */
export type OpenStage = "Received" | "Validated";

type FailureCommand = "RejectUpload" | "FailUpload";

/** An upload that was received and has not failed. */
type GoodState = Exclude<UploadState, { readonly stage: "Absent" | "Failed" }>;

/**
 * `UPLOAD_NOT_RECEIVED`: there is no such upload. `UPLOAD_STEP_MISSING`: what must come first has not happened.
 * `UPLOAD_ACCEPTED`: its file broke no rule. `UPLOAD_ROWS_OUT_OF_ORDER`: the rows are not the next ones of the file.
 * `UPLOAD_IN_FORCE`: reports can show its rows already. `UPLOAD_ENDED_OTHERWISE`: it has ended, and ends do not change.
 */
export type UploadRejection =
  | "UPLOAD_NOT_RECEIVED"
  | "UPLOAD_STEP_MISSING"
  | "UPLOAD_ACCEPTED"
  | "UPLOAD_ROWS_OUT_OF_ORDER"
  | "UPLOAD_IN_FORCE"
  | "UPLOAD_ENDED_OTHERWISE";

type Decision = readonly UploadEvent[] | Rejection<UploadRejection>;

/**
 * Row number of a file's first row: the header is row 1 (contract/uploads.md#format). Rows of an accepted file are
 * numbered without a gap.
 */
const firstRow = 2;

/** One upload: from its receipt to the one end that it has (contract/uploads.md#status). */
export const upload: Decider<UploadCommand, UploadEvent, UploadState, UploadRejection> = {
  initialState: { stage: "Absent" },

  decide(command, state) {
    if (command.type === "ReceiveUpload") {
      return state.stage === "Absent" ? [{ type: "UploadReceived", data: command.data }] : [];
    }
    if (state.stage === "Absent") return { rejected: "UPLOAD_NOT_RECEIVED" };
    if (state.stage === "Failed") return state.by === command.type ? [] : { rejected: "UPLOAD_ENDED_OTHERWISE" };
    switch (command.type) {
      case "ValidateUpload":
        return state.stage === "Received" ? [{ type: "UploadValidated", data: command.data }] : [];
      case "RejectUpload":
        return rejectUpload(command.data, state);
      case "StageRows":
        return stageRows(command.chunk, state);
      case "IngestUpload":
        return ingestUpload(command.data, state);
      case "SucceedUpload":
        return succeedUpload(command.data, state);
      case "FailUpload":
        return failUpload(command.data, state);
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case "UploadReceived":
        return { stage: "Received", appId: event.data.appId, kind: event.data.kind };
      case "UploadValidated":
        return state.stage === "Received" ? { ...state, stage: "Validated", rows: event.data.rows, staged: 0 } : state;
      case "UploadRejected":
        return { stage: "Failed", by: "RejectUpload", after: "Received" };
      case "SpendRowsStaged":
      case "MetricRowsStaged":
        return state.stage === "Validated" ? { ...state, staged: state.staged + event.data.rows.length } : state;
      case "UploadIngested":
        return { stage: "Ingested" };
      case "UploadSucceeded":
        return { stage: "Succeeded" };
      case "UploadFailed":
        return isOpen(state) ? { stage: "Failed", by: "FailUpload", after: state.stage } : state;
    }
    return assertNever(event);
  },
};

function isOpen(state: UploadState): state is Extract<UploadState, { readonly stage: OpenStage }> {
  return state.stage === "Received" || state.stage === "Validated";
}

function rejectUpload(data: UploadRejected["data"], state: GoodState): Decision {
  if (state.stage === "Received") return [{ type: "UploadRejected", data }];
  return { rejected: state.stage === "Succeeded" ? "UPLOAD_ENDED_OTHERWISE" : "UPLOAD_ACCEPTED" };
}

/** A chunk begins right after the rows staged before it; one that lies before that was staged already. */
function stageRows(chunk: SpendRowsStaged | MetricRowsStaged, state: GoodState): Decision {
  if (state.stage === "Received") return { rejected: "UPLOAD_STEP_MISSING" };
  if (state.stage !== "Validated") return [];
  const { kind, rows, staged } = state;
  const numbers = chunk.data.rows.map(({ row }) => row);
  const next = firstRow + staged;
  if (numbers.every((number) => number < next)) return [];
  const isNext =
    chunk.type === (kind === "metric" ? "MetricRowsStaged" : "SpendRowsStaged") &&
    numbers.every((number, index) => number === next + index) &&
    staged + numbers.length <= rows;
  return isNext ? [chunk] : { rejected: "UPLOAD_ROWS_OUT_OF_ORDER" };
}

/** Only when the log holds every row of the file. */
function ingestUpload({ requestId, ingestedAt }: IngestUpload["data"], state: GoodState): Decision {
  if (state.stage === "Received") return { rejected: "UPLOAD_STEP_MISSING" };
  if (state.stage !== "Validated") return [];
  const { appId, kind, rows, staged } = state;
  if (staged < rows) return { rejected: "UPLOAD_STEP_MISSING" };
  return [{ type: "UploadIngested", data: { requestId, appId, kind, rows, ingestedAt } }];
}

function succeedUpload(data: UploadSucceeded["data"], state: GoodState): Decision {
  if (state.stage === "Ingested") return [{ type: "UploadSucceeded", data }];
  return state.stage === "Succeeded" ? [] : { rejected: "UPLOAD_STEP_MISSING" };
}

/** Rows that are in force stay so: from then on an upload can only succeed. */
function failUpload(data: UploadFailed["data"], state: GoodState): Decision {
  if (isOpen(state)) return [{ type: "UploadFailed", data }];
  return { rejected: state.stage === "Ingested" ? "UPLOAD_IN_FORCE" : "UPLOAD_ENDED_OTHERWISE" };
}
