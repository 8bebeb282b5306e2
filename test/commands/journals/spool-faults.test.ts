// time limit: 120 s
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startSpoolDrainer } from "../../../commands/journals/spool-drainer.ts";
import { createSpoolingJournals } from "../../../commands/journals/spooling-journals.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { openSpool } from "../../../infra/spool/spool.ts";
import { metadata, temporaryDirectory } from "../../infra/event-log/event-log-client.ts";
import { startTestLog } from "../../support/event-store.ts";
import { fate, unreliable } from "./unreliable-log.ts";

const store = await startTestLog();
const { log } = store;
const ignore = (): void => {};
let lastApp = 0;

const faults = suite("a spooling journal on a bad network, its process killed and started again");

faults("has every acknowledged event in the log exactly once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fate, { maxLength: 40 }),
      fc.array(fc.record({ calls: fc.integer({ min: 1, max: 5 }), waits: fc.boolean() }), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.constantFrom(0, 2, 10),
      fc.constantFrom(300, 3_000, 1e6),
      async (fates, callers, maxWaitMs, limitBytes) => {
        lastApp += 1;
        const start = await log.headPosition();
        const network = unreliable(log, fates);
        const directory = temporaryDirectory();
        const options = { directory: `${directory.path}/spool`, limitBytes, logId: "log" };

        // Given callers, all at once or each waiting for its answers, and a drainer beside them
        const spool = openSpool(options);
        const { acknowledged } = await called(network.log, spool, callers, maxWaitMs);
        await spool.close();

        // When another process drains the spool, first over the bad network, then over a good one
        const reopened = openSpool(options);
        await stopped(network.log, reopened);
        while (!reopened.isEmpty()) await stopped(log, reopened);
        await reopened.close();
        await network.arrive();

        // Then
        const recorded: string[] = [];
        for await (const event of log.readAll(start ?? "start", 10_000)) {
          if (event.stream.startsWith(`touchpoints-${lastApp}_`)) recorded.push(event.id);
        }
        assert.is(new Set(recorded).size, recorded.length, "an event is in the log twice");
        for (const id of acknowledged.flat())
          assert.ok(recorded.includes(id), `${id} was acknowledged and is not in the log`);
        await directory.remove();
      },
    ),
    { numRuns: 100 },
  );
});

/** What callers were acknowledged, each; the process ends without draining what it has spooled. */
async function called(
  over: EventLog,
  spool: ReturnType<typeof openSpool>,
  callers: readonly { readonly calls: number; readonly waits: boolean }[],
  maxWaitMs: number,
): Promise<{ readonly acknowledged: readonly (readonly string[])[] }> {
  const drainer = startSpoolDrainer(over, spool, {
    onDrained: ignore,
    onAlarm: ignore,
    onTrouble: ignore,
    answered: async () => {},
    initialBackoffMs: 1,
  });
  const journals = createSpoolingJournals(over, spool, {
    onSpooled: drainer.wake,
    onAlarm: ignore,
    maxWaitMs,
    initialBackoffMs: 1,
    minSpoolIntervalMs: 0,
    maxBatchEvents: 3,
  });
  const acknowledged = await Promise.all(
    callers.map(async ({ calls, waits }) => {
      const answers: Promise<string | null>[] = [];
      for (let call = 0; call < calls; call += 1) {
        const event = { id: uuidv7(), type: "ClickRecorded", data: {}, metadata };
        const answer = journals.append({ category: "touchpoints", appId: lastApp }, event).then(
          () => event.id,
          () => null,
        );
        answers.push(answer);
        if (waits) await answer;
      }
      return (await Promise.all(answers)).filter((id) => id !== null);
    }),
  );
  await drainer.stop(AbortSignal.abort());
  return { acknowledged };
}

async function stopped(over: EventLog, spool: ReturnType<typeof openSpool>): Promise<void> {
  const quiet = {
    onDrained: ignore,
    onAlarm: ignore,
    onTrouble: ignore,
    answered: async () => {},
    initialBackoffMs: 1,
  };
  await startSpoolDrainer(over, spool, quiet).stop(new AbortController().signal);
}

faults.after(() => store.close());
faults.run();
