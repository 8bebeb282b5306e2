import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fold, isRejection } from "../../../domain/decider.ts";
import type { SpendRow, SpendRowsStaged, UploadEvent } from "../../../domain/uploads/events.ts";
import { type UploadCommand, upload } from "../../../domain/uploads/upload.ts";
import { anUpload, uploadId } from "../../examples/uploads.ts";
import { assertDecidesOnce, historyOf } from "../../support/specification.ts";

/** The example's file has rows 2 and 3. */
const { received, validated, ingested, succeeded, rejected, failed } = anUpload(1);
const requestId = uploadId(1);

function spendRow(row: number): SpendRow {
  return {
    row,
    date: "2026-03-31",
    channel: "partner",
    channelType: "custom",
    campaignParams: { campaign: "spring" },
    publisher: {},
    currency: "USD",
    impressions: 10,
    clicks: 1,
    cost: "0.5",
  };
}

function staged(...rows: readonly number[]): SpendRowsStaged {
  return { type: "SpendRowsStaged", data: { requestId, appId: 1, rows: rows.map(spendRow) } };
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

const whole = [received, validated, staged(2), staged(3), ingested, succeeded];
const after = (count: number): readonly UploadEvent[] => whole.slice(0, count);

function decide(given: readonly UploadEvent[], when: UploadCommand) {
  return upload.decide(when, fold(upload, given));
}

const growing = suite("an upload");

growing("is received, validated, staged, ingested and succeeds", () => {
  const steps = [receive, validate, stage(2), stage(3), ingest, succeed];
  assert.equal(
    steps.map((command, index) => decide(after(index), command)),
    whole.map((event) => [event]),
  );
});

growing("is rejected when its file breaks rules", () => {
  assert.equal(decide(after(1), reject), [rejected]);
});

growing("fails by a technical fault until its rows are in force", () => {
  for (const count of [1, 2, 3, 4]) assert.equal(decide(after(count), fail), [failed]);
  assert.equal(decide(after(5), fail), { rejected: "UPLOAD_IN_FORCE" });
});

growing("needs its receipt before anything else", () => {
  for (const command of [validate, reject, stage(2), ingest, succeed, fail]) {
    assert.equal(decide([], command), { rejected: "UPLOAD_NOT_RECEIVED" });
  }
});

growing("cannot omit a step", () => {
  for (const command of [stage(2), ingest, succeed]) {
    assert.equal(decide(after(1), command), { rejected: "UPLOAD_STEP_MISSING" });
  }
  for (const command of [ingest, succeed]) {
    assert.equal(decide(after(3), command), { rejected: "UPLOAD_STEP_MISSING" });
  }
  assert.equal(decide(after(4), succeed), { rejected: "UPLOAD_STEP_MISSING" });
});

growing("cannot be rejected once its file was accepted", () => {
  for (const count of [2, 3, 4, 5]) assert.equal(decide(after(count), reject), { rejected: "UPLOAD_ACCEPTED" });
});

const staging = suite("staging rows");

staging("continues after the staged rows", () => {
  assert.equal(decide(after(2), stage(2, 3)), [staged(2, 3)]);
  assert.equal(decide(after(3), stage(3)), [staged(3)]);
});

staging("decides nothing for staged rows", () => {
  assert.equal(decide(after(3), stage(2)), []);
  assert.equal(decide(after(4), stage(2, 3)), []);
  assert.equal(decide(after(5), stage(3)), []);
  assert.equal(decide(after(6), stage(3)), []);
});

staging("rejects a gap, an overlap, disorder and rows beyond the end of the file", () => {
  const refused = { rejected: "UPLOAD_ROWS_OUT_OF_ORDER" };
  assert.equal(decide(after(2), stage(3)), refused, "gap");
  assert.equal(decide(after(3), stage(2, 3)), refused, "overlap");
  assert.equal(decide(after(2), stage(3, 2)), refused, "disorder");
  assert.equal(decide(after(2), stage(2, 2)), refused, "twice the same");
  assert.equal(decide(after(2), stage(2, 3, 4)), refused, "beyond the end, with rows before it");
  assert.equal(decide(after(4), stage(4)), refused, "beyond the end");
});

staging("rejects rows of another kind", () => {
  const { received: metric } = anUpload(1, { kind: "metric" });
  assert.equal(decide([metric, validated], stage(2, 3)), { rejected: "UPLOAD_ROWS_OUT_OF_ORDER" });
  assert.equal(decide([metric, validated], stageMetricRows), []);
});

const ended = suite("an upload that has ended");
const ends: readonly (readonly [string, readonly UploadEvent[], UploadCommand])[] = [
  ["success", after(6), succeed],
  ["rejection", [received, rejected], reject],
  ["failure", [received, validated, failed], fail],
];

for (const [end, history, itsCommand] of ends) {
  ended(`keeps its ${end}`, () => {
    for (const command of [reject, succeed, fail]) {
      assert.equal(decide(history, command), command === itsCommand ? [] : { rejected: "UPLOAD_ENDED_OTHERWISE" });
    }
  });
}

ended("after a failure rejects further steps", () => {
  for (const command of [validate, stage(2), ingest]) {
    assert.equal(decide([received, validated, failed], command), { rejected: "UPLOAD_ENDED_OTHERWISE" });
  }
});

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
      if (!isRejection(decision) && (stage === "Succeeded" || stage === "Failed")) assert.equal(decision, []);
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
