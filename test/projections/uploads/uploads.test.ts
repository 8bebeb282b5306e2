import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { UploadEvent } from "../../../domain/uploads/events.ts";
import { uploadsProjection } from "../../../projections/uploads/projection.ts";
import { openUploads, type UploadRow, uploadOf } from "../../../projections/uploads/queries.ts";
import { recordedLog } from "../../examples/recorded-log.ts";
import { anUpload, badDate, uploadId as id, internalError } from "../../examples/uploads.ts";
import { openProjection } from "../one-projection.ts";
import { assertSameRowsForAnySplit } from "../split-property.ts";

const model = await openProjection(uploadsProjection);

const at = (second: number): string => `2026-04-01T00:00:0${second}.000Z`;
const one = anUpload(1, { fileName: null, kind: "metric", appId: 2 });
const two = anUpload(2);
const three = anUpload(3);
const four = anUpload(4);
const five = anUpload(5);
const six = anUpload(6);
const seven = anUpload(7, { kind: "legacy_cost" });

/** Seven uploads: received, validated, ingested, succeeded, refused, failed before and failed after validation. */
const log = recordedLog<UploadEvent>([
  one.received,
  two.received,
  three.received,
  three.validated,
  four.received,
  two.validated,
  four.validated,
  four.ingested,
  five.received,
  three.ingested,
  five.rejected,
  six.received,
  seven.received,
  seven.validated,
  four.succeeded,
  six.failed,
  seven.failed,
]);

const uploads = suite("uploads");
uploads.before(() => model.rebuild(log));
uploads.after(() => model.close());

const row = (number: number, position: bigint, more: Partial<UploadRow>): UploadRow => ({
  requestId: id(number),
  appId: 1,
  kind: "ad_spend",
  status: "uploaded",
  prevStatus: null,
  faults: null,
  fileName: `spend-${number}.csv`,
  fileBytes: BigInt(1_000 + number),
  sha256: "ab".repeat(32),
  rowCount: null,
  receivedAt: new Date(at(0)),
  updatedAt: new Date(at(0)),
  position,
  ingestedPosition: null,
  ...more,
});

const expected: readonly UploadRow[] = [
  row(1, 100n, { fileName: null, kind: "metric", appId: 2 }),
  row(2, 200n, { status: "validated", prevStatus: "uploaded", rowCount: 2, updatedAt: new Date(at(1)) }),
  row(3, 300n, {
    status: "ingested",
    prevStatus: "validated",
    rowCount: 2,
    updatedAt: new Date(at(2)),
    ingestedPosition: 1000n,
  }),
  row(4, 500n, {
    status: "succeeded",
    prevStatus: "ingested",
    rowCount: 2,
    updatedAt: new Date(at(3)),
    ingestedPosition: 800n,
  }),
  row(5, 900n, { status: "failed", prevStatus: "uploaded", faults: badDate, updatedAt: new Date(at(4)) }),
  row(6, 1200n, { status: "failed", prevStatus: "uploaded", faults: internalError, updatedAt: new Date(at(5)) }),
  row(7, 1300n, {
    kind: "legacy_cost",
    status: "failed",
    prevStatus: "validated",
    faults: internalError,
    rowCount: 2,
    updatedAt: new Date(at(5)),
  }),
];

uploads("have the file, the status and the end", async () => {
  const known = await Promise.all(expected.map(({ appId, requestId }) => uploadOf(model, appId, requestId)));
  assert.equal(known, expected);
});

uploads("belong to one app", async () => {
  assert.is(await uploadOf(model, 1, id(1)), null);
  assert.is(await uploadOf(model, 2, id(2)), null);
  assert.is(await uploadOf(model, 1, id(8)), null);
});

uploads("are a to-do list while they are open: the oldest of each app, then the second of each", async () => {
  const open = async (max: number) => (await openUploads(model, max)).map(({ requestId }) => requestId);
  assert.equal(await openUploads(model, 10), expected.slice(0, 3));
  assert.equal(await open(2), [id(1), id(2)]);
  await model.rebuild(recordedLog<UploadEvent>([two.received, three.received, one.received]));
  assert.equal(await open(10), [id(2), id(1), id(3)]);
  assert.equal(await open(2), [id(2), id(1)]);
  await model.rebuild(log);
});

uploads("are the same in any split into batches, applied twice, and from the middle", async () => {
  await assertSameRowsForAnySplit(model.db, uploadsProjection, log);
});

uploads.run();
