// time limit: 20 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openEventLog, openEventStore } from "../../../infra/composition/event-log.ts";
import { openLog } from "../../../infra/process/log.ts";
import { StartupError } from "../../../infra/process/startup-error.ts";

const test = suite("An EVENTSTORE_URL that cannot be used");

for (const [title, eventStoreUrl, reason] of [
  [
    "a CA file that is not there",
    "esdb://127.0.0.1:1?tlsCAFile=/none/ca.crt",
    "Failed to load certificate file. File was not found.",
  ],
  [
    "an option with an unknown value",
    "esdb://127.0.0.1:1?tls=perhaps",
    'Unexpected "perhaps" at position 23, expected true or false.',
  ],
  ["a password that is no URL text", "esdb://me:%zz@127.0.0.1:1", "URI malformed"],
] as const) {
  test(`${title} is one line that names the variable`, async () => {
    const failure = await open(eventStoreUrl).catch((error: unknown) => error);
    assert.instance(failure, StartupError);
    assert.is(
      (failure as StartupError).message,
      `The event store cannot be used. Is EVENTSTORE_URL right, and does it run? (${reason})`,
    );
  });
}

async function open(eventStoreUrl: string): Promise<unknown> {
  const config = { eventStoreUrl, eventStreamPrefix: "", followerLagMs: 0, diskReserveBytes: 0 };
  const access = await openEventStore(config, "unused", () => undefined);
  return openEventLog(access, null, openLog("silent"));
}

test.run();
