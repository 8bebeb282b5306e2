import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { granularities } from "../../../../domain/reporting/granularity.ts";
import { openRetentionFacts } from "./examples.ts";
import { aHistory, someFlags } from "./generated.ts";
import { asReference, referenceGroups } from "./reference.ts";

const facts = await openRetentionFacts();

const retention = suite("a retention report");
retention.after(() => facts.close());

for (const granularity of granularities) {
  retention(`by the ${granularity} is what a plain reading of the history gives, 100 times`, async () => {
    const someHistories = fc.array(aHistory(granularity), { minLength: 25, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(someHistories, someFlags, async (histories, channelFlags) => {
        const ofApps = histories.map(({ events }, index) => events.map((event) => ({ ...event, appId: index + 1 })));
        const schema = await facts.write(ofApps.flat(), { channelFlags });
        for (const [index, { events, question }] of histories.entries()) {
          const result = await facts.run(schema, { ...question, appId: index + 1 });
          assert.ok(result);
          const expected = referenceGroups(events, channelFlags, question);
          assert.equal(asReference(result), expected, JSON.stringify(question.query));
        }
        facts.release(schema);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });
}

retention.run();
