import { suite } from "uvu";
import * as assert from "uvu/assert";
import { uploadRecord } from "../../../domain/uploads/upload-record.ts";

const record = suite("the record of an upload");

record("has its reason as JSON text, and instants as local times of the app", () => {
  const progress = {
    requestId: "0190a0b0-0000-8000-8000-000000000001",
    status: "failed",
    prevStatus: "uploaded",
    createdAt: "2026-03-08T06:59:58.400Z",
    // An hour of summer time later.
    updatedAt: new Date("2026-03-08T07:00:01.999Z"),
  } as const;
  const { requestId, status, prevStatus } = progress;
  const times = { createdAt: "2026-03-08T01:59:58", updatedAt: "2026-03-08T03:00:01" };
  const reason = { date: ['row 2: "2026-13-01"'], file: ["has no rows"] };
  assert.equal(uploadRecord({ ...progress, reason }, "America/New_York"), {
    ...{ requestId, status, prevStatus, ...times },
    reason: '{"date":["row 2: \\"2026-13-01\\""],"file":["has no rows"]}',
  });
  assert.is(uploadRecord({ ...progress, reason: null }, "America/New_York").reason, null);
});

record.run();
