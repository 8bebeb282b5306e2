import { assertNever, type Decider, type Rejection } from "../decider.ts";
import type {
  NamedChannel,
  RowsStaged,
  UploadEvent,
  UploadFailed,
  UploadIngested,
  UploadKind,
  UploadReceived,
  UploadRejected,
  UploadSucceeded,
  UploadValidated,
} from "./events.ts";
import { isRowsStaged, uploadKinds } from "./upload-kinds.ts";

export type UploadCommand =
  | { readonly type: "ReceiveUpload"; readonly data: UploadReceived["data"] }
  | { readonly type: "ValidateUpload"; readonly data: UploadValidated["data"] }
  | { readonly type: "RejectUpload"; readonly data: UploadRejected["data"] }
  | { readonly type: "StageRows"; readonly chunk: RowsStaged }
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

interface ValidatedState extends Accepted {
  readonly stage: "validated";
  /** The registered channels that the rows name; null: not recorded. */
  readonly channels: readonly NamedChannel[] | null;
  /** Number of rows in the log, from the first row of the file on. */
  readonly staged: number;
}

export type UploadState =
  | { readonly stage: "absent" }
  | { readonly stage: "received"; readonly appId: number; readonly kind: UploadKind }
  | ValidatedState
  | { readonly stage: "ingested" }
  | { readonly stage: "succeeded" }
  | { readonly stage: "failed"; readonly by: "RejectUpload" | "FailUpload" };

/** An upload that was received and has not failed. */
type ActiveState = Exclude<UploadState, { readonly stage: "absent" | "failed" }>;

/**
 * `UPLOAD_NOT_RECEIVED`: there is no such upload. `UPLOAD_STEP_MISSING`: an earlier step has not happened.
 * `UPLOAD_ACCEPTED`: the file was already accepted. `UPLOAD_ROWS_OUT_OF_ORDER`: the rows are not the next ones of the
 * file. `UPLOAD_IN_FORCE`: its rows are already in force. `UPLOAD_ENDED_OTHERWISE`: it has ended with another outcome.
 */
export type UploadRejection =
  | "UPLOAD_NOT_RECEIVED"
  | "UPLOAD_STEP_MISSING"
  | "UPLOAD_ACCEPTED"
  | "UPLOAD_ROWS_OUT_OF_ORDER"
  | "UPLOAD_IN_FORCE"
  | "UPLOAD_ENDED_OTHERWISE";

type Decision = readonly UploadEvent[] | Rejection<UploadRejection>;

/** The header is row 1 (contract/uploads.md#format). Rows of an accepted file are numbered without a gap. */
const firstRow = 2;

function decide(command: UploadCommand, state: UploadState): Decision {
  if (command.type === "ReceiveUpload") {
    return state.stage === "absent" ? [{ type: "UploadReceived", data: command.data }] : [];
  }
  if (state.stage === "absent") return { rejected: "UPLOAD_NOT_RECEIVED" };
  if (state.stage === "failed") return state.by === command.type ? [] : { rejected: "UPLOAD_ENDED_OTHERWISE" };
  switch (command.type) {
    case "ValidateUpload":
      return state.stage === "received" ? [{ type: "UploadValidated", data: command.data }] : [];
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
}

function rejectUpload(data: UploadRejected["data"], state: ActiveState): Decision {
  if (state.stage === "received") return [{ type: "UploadRejected", data }];
  return { rejected: state.stage === "succeeded" ? "UPLOAD_ENDED_OTHERWISE" : "UPLOAD_ACCEPTED" };
}

/** A chunk begins right after the rows staged before it. A chunk that is staged already has no event. */
function stageRows(chunk: RowsStaged, state: ActiveState): Decision {
  if (state.stage === "received") return { rejected: "UPLOAD_STEP_MISSING" };
  if (state.stage !== "validated") return [];
  const { kind, rows, staged } = state;
  const numbers = chunk.data.rows.map(({ row }) => row);
  const next = firstRow + staged;
  if (numbers.every((number) => number < next)) return [];
  const isNext =
    chunk.type === uploadKinds[kind].table.stagedBy &&
    numbers.every((number, index) => number === next + index) &&
    staged + numbers.length <= rows;
  return isNext ? [chunk] : { rejected: "UPLOAD_ROWS_OUT_OF_ORDER" };
}

/** Requires that every row of the file is staged. */
function ingestUpload({ requestId, ingestedAt }: IngestUpload["data"], state: ActiveState): Decision {
  if (state.stage === "received") return { rejected: "UPLOAD_STEP_MISSING" };
  if (state.stage !== "validated") return [];
  const { appId, kind, rows, staged } = state;
  if (staged < rows) return { rejected: "UPLOAD_STEP_MISSING" };
  return [{ type: "UploadIngested", data: { requestId, appId, kind, rows, ingestedAt } }];
}

function succeedUpload(data: UploadSucceeded["data"], state: ActiveState): Decision {
  if (state.stage === "ingested") return [{ type: "UploadSucceeded", data }];
  return state.stage === "succeeded" ? [] : { rejected: "UPLOAD_STEP_MISSING" };
}

/** Once its rows are in force, an upload can only succeed. */
function failUpload(data: UploadFailed["data"], state: ActiveState): Decision {
  if (state.stage === "received" || state.stage === "validated") return [{ type: "UploadFailed", data }];
  return { rejected: state.stage === "ingested" ? "UPLOAD_IN_FORCE" : "UPLOAD_ENDED_OTHERWISE" };
}

function evolve(state: UploadState, event: UploadEvent): UploadState {
  if (isRowsStaged(event)) {
    return state.stage === "validated" ? { ...state, staged: state.staged + event.data.rows.length } : state;
  }
  switch (event.type) {
    case "UploadReceived":
      return { stage: "received", appId: event.data.appId, kind: event.data.kind };
    case "UploadValidated":
      return state.stage === "received" ? validatedState(state, event.data) : state;
    case "UploadRejected":
      return { stage: "failed", by: "RejectUpload" };
    case "UploadIngested":
      return { stage: "ingested" };
    case "UploadSucceeded":
      return { stage: "succeeded" };
    case "UploadFailed":
      return { stage: "failed", by: "FailUpload" };
    default:
      return assertNever(event);
  }
}

function validatedState(
  { appId, kind }: Pick<Accepted, "appId" | "kind">,
  { rows, channels }: UploadValidated["data"],
): ValidatedState {
  return { stage: "validated", appId, kind, rows, channels: channels ?? null, staged: 0 };
}

/** One upload, from its receipt to its outcome (contract/uploads.md#status). */
export const upload: Decider<UploadCommand, UploadEvent, UploadState, UploadRejection> = {
  initialState: { stage: "absent" },
  decide,
  evolve,
};
