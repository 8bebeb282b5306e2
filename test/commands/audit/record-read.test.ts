import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReadRecorder } from "../../../commands/audit/record-read.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";

const read = { appId: 1, what: "export_url", reportId: 7 } as const;
const cause = { actor: { kind: "operator" }, requestId: "request", occurredAt: "2026-03-31T00:00:00.000Z" } as const;

const reading = suite("a read of personal data");

reading("is refused when it cannot be recorded", async () => {
  const record = createReadRecorder({ append: async () => Promise.reject(new EventLogUnavailable("down")) });
  const failure = await record(read, cause).catch((reason: unknown) => reason);
  assert.instance(failure, EventLogUnavailable);
});

reading.run();
