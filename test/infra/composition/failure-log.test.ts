import { suite } from "uvu";
import * as assert from "uvu/assert";
import { StreamTooBusy } from "../../../commands/handle-command.ts";
import { failureLog } from "../../../infra/composition/http-routes.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";

/** A log that keeps its lines, and the end of the second that its limit counts. */
function recordingLog() {
  const lines: object[] = [];
  const windows: (() => void)[] = [];
  const write = (line: object, message: string): void => void lines.push({ ...line, message });
  const failed = failureLog(
    { log: { error: write, warn: write, debug: write } as never },
    (work) => void windows.push(work),
  );
  return { lines, failed, endSecond: () => windows.splice(0).forEach((work) => void work()) };
}

const test = suite("the log of failed requests");

test("has ten lines a second of those for which a store was unavailable, and the number of the others", () => {
  const { lines, failed, endSecond } = recordingLog();
  for (let number = 0; number < 12; number += 1) failed(new EventLogUnavailable("no leader"), `request-${number}`);
  endSecond();
  const message = "a request failed: a store was unavailable";
  assert.equal(lines, [
    ...Array.from({ length: 10 }, (_, number) => ({ reason: "no leader", requestId: `request-${number}`, message })),
    { leftOut: 2, message: "more requests failed: a store was unavailable" },
  ]);
});

test("has the reason of one that met other writers again and again", () => {
  const { lines, failed } = recordingLog();
  failed(new StreamTooBusy("Another writer won 8 times on app-1"), "request");
  assert.equal(lines, [
    { reason: "Another writer won 8 times on app-1", requestId: "request", message: "a request failed" },
  ]);
});

test("has every other failure with its stack", () => {
  const { lines, failed } = recordingLog();
  const failure = new Error("a fault of ours");
  for (let number = 0; number < 12; number += 1) failed(failure, "request");
  assert.equal(lines, Array(12).fill({ err: failure, requestId: "request", message: "a request failed" }));
});

test.run();
