import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { granularities } from "../../../../domain/reporting/granularity.ts";
import { someFlags } from "../cohorts/generated.ts";
import { openRetentionFacts } from "./examples.ts";
import { someHistories } from "./generated.ts";
import { asReference, referenceGroups } from "./reference.ts";

const facts = await openRetentionFacts();

const retention = suite("a retention report");
retention.after(() => facts.close());

for (const granularity of granularities) {
  retention(`by the ${granularity} is what a plain reading of the history gives, 100 times`, async () => {
    await fc.assert(
      fc.asyncProperty(someHistories(25, granularity), someFlags, async (histories, channelFlags) => {
        const schema = await facts.write(
          histories.flatMap(({ events }) => events),
          { channelFlags },
        );
        for (const { events, question } of histories) {
          const result = await facts.run(schema, question);
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
