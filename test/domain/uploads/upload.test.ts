import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isRejection } from "../../../domain/decider.ts";
import type { SpendRowsStaged, UploadEvent } from "../../../domain/uploads/events.ts";
import { type UploadCommand, type UploadRejection, upload } from "../../../domain/uploads/upload.ts";
import { spendRow } from "../../examples/uploaded-rows.ts";
import { anUpload, uploadId } from "../../examples/uploads.ts";
import { addRules, assertDecidesOnce, fold, historyOf, type Rule } from "../../support/decider-specification.ts";

/** The example's file has rows 2 and 3. */
const { received, validated, ingested, succeeded, rejected, failed } = anUpload(1);
const requestId = uploadId(1);

function staged(...rows: readonly number[]): SpendRowsStaged {
  return { type: "SpendRowsStaged", data: { requestId, appId: 1, rows: rows.map((row) => spendRow({ row })) } };
}

const receive = { type: "ReceiveUpload", data: dataOf(received, "UploadReceived") } as const;
const validate = { type: "ValidateUpload", data: dataOf(validated, "UploadValidated") } as const;
const reject = { type: "RejectUpload", data: dataOf(rejected, "UploadRejected") } as const;
const stage = (...rows: readonly number[]): UploadCommand => ({ type: "StageRows", chunk: staged(...rows) });
const stageMetricRows: UploadCommand = {
  type: "StageRows",
  chunk: { type: "MetricRowsStaged", data: { requestId, appId: 1, rows: [] } },
};
const ingest = {
  type: "IngestUpload",
  data: { requestId, ingestedAt: dataOf(ingested, "UploadIngested").ingestedAt },
} as const;
const succeed = { type: "SucceedUpload", data: dataOf(succeeded, "UploadSucceeded") } as const;
const fail = { type: "FailUpload", data: dataOf(failed, "UploadFailed") } as const;

type UploadRule = Rule<UploadCommand, UploadEvent, UploadRejection>;

const whole = [received, validated, staged(2), staged(3), ingested, succeeded];
const after = (count: number): readonly UploadEvent[] => whole.slice(0, count);
const ends: readonly (readonly [string, readonly UploadEvent[], UploadCommand])[] = [
  ["success", after(6), succeed],
  ["rejection", [received, rejected], reject],
  ["failure", [received, validated, failed], fail],
];

function decide(given: readonly UploadEvent[], when: UploadCommand) {
  return upload.decide(when, fold(upload, given));
}
const refusal = <const Code extends UploadRejection>(rejectedWith: Code) => ({ rejected: rejectedWith });
const stepMissing = refusal("UPLOAD_STEP_MISSING");
const outOfOrder = refusal("UPLOAD_ROWS_OUT_OF_ORDER");
const endedOtherwise = refusal("UPLOAD_ENDED_OTHERWISE");
const stepNames = ["receipt", "validation", "the first rows", "the last rows", "ingest", "success"];
const { received: metric } = anUpload(1, { kind: "metric" });
const afterFailure = [received, validated, failed];

const growing = suite("an upload");

addRules(growing, upload, [
  ...[receive, validate, stage(2), stage(3), ingest, succeed].map((command, index): UploadRule => {
    return [`takes its steps in order: ${stepNames[index]}`, after(index), command, whole.slice(index, index + 1)];
  }),
  ["is rejected when its file is invalid", after(1), reject, [rejected]],
  ...[1, 2, 3, 4].map((count): UploadRule => [`fails after ${count} steps`, after(count), fail, [failed]]),
  ["does not fail once its rows are in force", after(5), fail, refusal("UPLOAD_IN_FORCE")],
  ...[validate, reject, stage(2), ingest, succeed, fail].map((command): UploadRule => {
    return [`needs its receipt before ${command.type}`, [], command, refusal("UPLOAD_NOT_RECEIVED")];
  }),
  ...[stage(2), ingest, succeed].map((command): UploadRule => {
    return [`needs its validation before ${command.type}`, after(1), command, stepMissing];
  }),
  ...[ingest, succeed].map((command): UploadRule => {
    return [`needs all rows before ${command.type}`, after(3), command, stepMissing];
  }),
  ["needs its ingest before its success", after(4), succeed, stepMissing],
  ...[2, 3, 4, 5].map((count): UploadRule => {
    return [`is not rejected after ${count} steps`, after(count), reject, refusal("UPLOAD_ACCEPTED")];
  }),
]);

const staging = suite("staging rows");

addRules(staging, upload, [
  ["takes several rows", after(2), stage(2, 3), [staged(2, 3)]],
  ["continues after the staged rows", after(3), stage(3), [staged(3)]],
  ["decides nothing for staged rows", after(3), stage(2), []],
  ["decides nothing for all rows again", after(4), stage(2, 3), []],
  ["decides nothing after ingest", after(5), stage(3), []],
  ["decides nothing after success", after(6), stage(3), []],
  ["rejects a gap", after(2), stage(3), outOfOrder],
  ["rejects an overlap", after(3), stage(2, 3), outOfOrder],
  ["rejects disorder", after(2), stage(3, 2), outOfOrder],
  ["rejects a repeated row", after(2), stage(2, 2), outOfOrder],
  ["rejects rows over the end of the file", after(2), stage(2, 3, 4), outOfOrder],
  ["rejects rows behind the end of the file", after(4), stage(4), outOfOrder],
  ["rejects rows of another kind", [metric, validated], stage(2, 3), outOfOrder],
  ["accepts rows of its kind", [metric, validated], stageMetricRows, []],
]);

const ended = suite("an upload that has ended");

addRules(ended, upload, [
  ...ends.flatMap(([end, history, itsCommand]) =>
    [reject, succeed, fail].map((command): UploadRule => {
      const decision = command === itsCommand ? [] : endedOtherwise;
      return [`keeps its ${end}: ${command.type}`, history, command, decision];
    }),
  ),
  ...[validate, stage(2), ingest].map((command): UploadRule => {
    return [`rejects further steps after a failure: ${command.type}`, afterFailure, command, endedOtherwise];
  }),
]);

const decisions = suite("decisions about an upload");
const anyCommand = fc.constantFrom<UploadCommand>(
  ...[receive, validate, reject, ingest, succeed, fail],
  ...[stage(2), stage(3), stage(2, 3), stage(4), stageMetricRows],
);

decisions("are the same twice as once", () => assertDecidesOnce(upload, anyCommand));

decisions("never change an end", () => {
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 20 }), anyCommand, (commands, last) => {
      const history = historyOf(upload, commands);
      const { stage } = fold(upload, history);
      const decision = decide(history, last);
      if (!isRejection(decision) && (stage === "succeeded" || stage === "failed")) assert.equal(decision, []);
    }),
  );
});

growing.run();
staging.run();
ended.run();
decisions.run();

function dataOf<Type extends UploadEvent["type"]>(event: UploadEvent, type: Type) {
  if (event.type !== type) throw new Error(`${event.type} is not ${type}`);
  return event.data as Extract<UploadEvent, { readonly type: Type }>["data"];
}
