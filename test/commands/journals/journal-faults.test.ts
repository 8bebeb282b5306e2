import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createJournals, type Journal } from "../../../commands/journals/journal.ts";
import type { EventToAppend } from "../../../infra/event-log/event-log.ts";
import { metadata } from "../../infra/event-log/event-log-client.ts";
import { startTestLog } from "../../support/event-store.ts";
import { fate, unreliable } from "./unreliable-log.ts";

const store = await startTestLog();
const { log } = store;

let lastApp = 0;
/** Sizes of the calls that one caller makes, one after the other or all at once. */
const caller = fc.record({ calls: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 5 }), waits: fc.boolean() });

const faults = suite("a writer journal on a bad network");

faults("has every acknowledged event in the log exactly once, each caller's in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fate, { maxLength: 30 }),
      fc.array(caller, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(0, 3, 50),
      async (fates, callers, retryForMs) => {
        lastApp += 1;
        const journal: Journal = { category: "appEvents", appId: lastApp };
        const network = unreliable(log, fates);
        const start = await log.headPosition();
        const { appendMany, drain, depth } = createJournals(network.log, {
          retryForMs,
          initialBackoffMs: 1,
          maxBatchEvents: 5,
        });

        const acknowledged = await Promise.all(
          callers.map(async ({ calls, waits }) => {
            const answers: Promise<readonly EventToAppend[]>[] = [];
            for (const size of calls) {
              const events = Array.from({ length: size }, () => ({
                id: uuidv7(),
                type: "Happened",
                data: {},
                metadata,
              }));
              const answer = appendMany(journal, events).then(
                () => events,
                () => [],
              );
              answers.push(answer);
              if (waits) await answer;
            }
            return (await Promise.all(answers)).flat().map(({ id }) => id);
          }),
        );
        await drain();
        await network.arrive();

        const recorded: string[] = [];
        for await (const event of log.readAll(start ?? "start", 10_000)) recorded.push(event.id);
        assert.equal({ ...depth(), journals: 1 }, { journals: 1, events: 0, bytes: 0 });
        assert.is(new Set(recorded).size, recorded.length, "an event is in the log twice");
        for (const ids of acknowledged) {
          assert.equal(
            recorded.filter((id) => ids.includes(id)),
            ids,
          );
        }
      },
    ),
    { numRuns: 100 },
  );
});

faults.after(() => store.close());
faults.run();
