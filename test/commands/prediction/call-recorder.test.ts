import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CallRecorder, createLateRecorder } from "../../../commands/prediction/call-recorder.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";

const [event, cause] = [{ type: "ContextRefused" }, { requestId: "r" }] as unknown as Parameters<CallRecorder>;

const late = suite("calls whose callers no longer wait");

late("are recorded once the log is available again", async () => {
  const calls: unknown[][] = [];
  const recordLater = createLateRecorder(async (...call) => {
    calls.push(call);
    if (calls.length < 3) throw new EventLogUnavailable("down");
    return { commit: 1n, prepare: 1n };
  });
  await recordLater(event, cause);
  assert.equal(
    calls,
    [1, 2, 3].map(() => [event, cause]),
  );
});

late("are at most 1,000 that are retried, further ones are tried once", async () => {
  let isDown = true;
  let attempts = 0;
  const recordLater = createLateRecorder(async () => {
    attempts += 1;
    if (isDown) throw new EventLogUnavailable("down");
    return { commit: 1n, prepare: 1n };
  });
  const retried = Array.from({ length: 1_000 }, () => recordLater(event, cause));
  await recordLater(event, cause);
  assert.is(attempts, 1_001);
  isDown = false;
  await Promise.all(retried);
  assert.is(attempts, 2_001);
});

late("are retried again once earlier retries have ended", async () => {
  let failuresLeft = 1_000;
  let attempts = 0;
  const recordLater = createLateRecorder(async () => {
    attempts += 1;
    failuresLeft -= 1;
    if (failuresLeft >= 0) throw new EventLogUnavailable("down");
    return { commit: 1n, prepare: 1n };
  });
  await Promise.all(Array.from({ length: 1_000 }, () => recordLater(event, cause)));
  assert.is(attempts, 2_000);
  failuresLeft = 1;
  await recordLater(event, cause);
  assert.is(attempts, 2_002);
});

late.run();
