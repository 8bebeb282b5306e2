import { suite } from "uvu";
import * as assert from "uvu/assert";
import { failureLog } from "../../../infra/composition/http-routes.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { capturedTimeouts } from "../../support/captured-timeouts.ts";

/** A log that keeps its lines, and what is to be done at the end of a second. */
function recordingLog() {
  const lines: object[] = [];
  const write = (line: object, message: string): void => void lines.push({ ...line, message });
  return { lines, failed: failureLog({ log: { error: write, debug: write } as never }) };
}

const test = suite("the log of failed requests");

test("has ten lines a second of those that a store did not respond to, without stacks", () => {
  const { lines, failed } = recordingLog();
  const [, delays] = capturedTimeouts(() => {
    for (let number = 0; number < 12; number += 1) failed(new EventLogUnavailable("no leader"), `request-${number}`);
  });
  assert.equal([lines.length, delays], [10, [1_000]]);
  assert.equal(lines[9], {
    reason: "no leader",
    requestId: "request-9",
    message: "a request failed, as a store did not respond",
  });
});

test("has every other failure with its stack", () => {
  const { lines, failed } = recordingLog();
  const failure = new Error("a fault of ours");
  for (let number = 0; number < 12; number += 1) failed(failure, "request");
  assert.equal(lines, Array(12).fill({ err: failure, requestId: "request", message: "a request failed" }));
});

test.run();
