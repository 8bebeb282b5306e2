import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type UploadProgress, type UploadStatus, uploadRecord } from "../../../domain/uploads/upload-record.ts";

const requestId = "0190a0b0-0000-8000-8000-000000000001";
const received: UploadProgress = {
  requestId,
  status: "uploaded",
  prevStatus: null,
  reason: null,
  createdAt: "2026-03-08T06:59:58.400Z",
  updatedAt: "2026-03-08T06:59:58.400Z",
};

const record = suite("the record of an upload");

record("of a file just received has no status before and no reason", () => {
  assert.equal(uploadRecord(received, "Asia/Seoul"), {
    requestId,
    status: "uploaded",
    prevStatus: null,
    reason: null,
    createdAt: "2026-03-08T15:59:58",
    updatedAt: "2026-03-08T15:59:58",
  });
});

const steps: readonly (readonly [UploadStatus, UploadStatus])[] = [
  ["validated", "uploaded"],
  ["ingested", "validated"],
  ["succeeded", "ingested"],
  ["failed", "uploaded"],
];
for (const [status, prevStatus] of steps) {
  record(`of one that is ${status} after it was ${prevStatus} tells both, in the app's local times`, () => {
    const updatedAt = new Date("2026-03-08T07:00:01.999Z");
    const progress = { ...received, status, prevStatus, createdAt: new Date(received.createdAt), updatedAt };
    assert.equal(uploadRecord(progress, "America/New_York"), {
      requestId,
      status,
      prevStatus,
      reason: null,
      createdAt: "2026-03-08T01:59:58",
      updatedAt: "2026-03-08T03:00:01",
    });
  });
}

record("of a failed one gives its reason as JSON text", () => {
  const reason = { date: ['row 2: "2026-13-01" is no date', "row 3: is missing"], file: ["has no data rows"] };
  const failed: UploadProgress = { ...received, status: "failed", prevStatus: "uploaded", reason };
  assert.equal(uploadRecord(failed, "UTC"), {
    requestId,
    status: "failed",
    prevStatus: "uploaded",
    reason: '{"date":["row 2: \\"2026-13-01\\" is no date","row 3: is missing"],"file":["has no data rows"]}',
    createdAt: "2026-03-08T06:59:58",
    updatedAt: "2026-03-08T06:59:58",
  });
});

record.run();
