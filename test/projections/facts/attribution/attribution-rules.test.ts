import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AttributionRulesChanged } from "../../../../domain/apps/events.ts";
import { defaultRules } from "../../../../domain/attribution/default-rules.ts";
import { rulesInForce } from "../../../../projections/facts/attribution/attribution-rules.ts";
import { attributionRulesOf } from "../../../../projections/facts/queries.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { assertSameInAnySplit, createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);
const split = await createFacts(db);

const rulesChanged = (attributionWindow: number, appId = 1): AttributionRulesChanged => ({
  type: "AttributionRulesChanged",
  data: { appId, rules: { ...defaultRules, attributionWindow } },
});

const rules = suite("attribution rules");
rules.before.each(() => tables.clear());
rules.after(() => db.destroy());

rules("are in force from the position at which they were set, up to where others were", async () => {
  await tables.apply(recordedLog([rulesChanged(60), rulesChanged(120, 2), rulesChanged(180)]));
  const requested = [99n, 100n, 299n, 300n].map((position) => ({ appId: 1, position }));
  const found = await rulesInForce(tables, [...requested, { appId: 2, position: 300n }, { appId: 3, position: 300n }]);
  const day = 86_400;
  assert.equal(
    found.map(({ attributionWindow }) => attributionWindow),
    [30 * day, 60, 60, 180, 120, 30 * day],
  );
  assert.equal((await attributionRulesOf(tables, 1)).attributionWindow, 180);
  assert.equal(await attributionRulesOf(tables, 3), defaultRules);
});

rules("are the same in any split into batches, some applied twice, and from the middle again", async () => {
  const anyLog = fc.array(fc.tuple(fc.nat(9), fc.constantFrom(1, 2)), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(anyLog, fc.infiniteStream(fc.integer({ min: 1, max: 4 })), async (changes, sizes) => {
      await assertSameInAnySplit([tables, split], recordedLog(changes.map((change) => rulesChanged(...change))), sizes);
    }),
    { numRuns: 15 },
  );
});

rules.run();
