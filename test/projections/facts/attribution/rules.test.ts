import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AttributionRulesChanged } from "../../../../domain/apps/events.ts";
import { defaultRules } from "../../../../domain/attribution/default-rules.ts";
import { rulesInForce } from "../../../../projections/facts/attribution/rules.ts";
import { attributionRulesOf } from "../../../../projections/facts/queries.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);
const split = await createFacts(db);

const saying = (attributionWindow: number, appId = 1): AttributionRulesChanged => ({
  type: "AttributionRulesChanged",
  data: { appId, rules: { ...defaultRules, attributionWindow } },
});

const rules = suite("attribution rules");
rules.before.each(() => tables.clear());
rules.after(() => db.destroy());

rules("are in force from the position at which they were set, up to where others were", async () => {
  await tables.apply(recordedLog([saying(60), saying(120, 2), saying(180)]));
  const asked = [99n, 100n, 299n, 300n].map((position) => ({ appId: 1, position }));
  const found = await rulesInForce(tables, [...asked, { appId: 2, position: 300n }, { appId: 3, position: 300n }]);
  const day = 86_400;
  assert.equal(
    found.map(({ attributionWindow }) => attributionWindow),
    [30 * day, 60, 60, 180, 120, 30 * day],
  );
  assert.equal((await attributionRulesOf(tables, 1)).attributionWindow, 180);
  assert.equal(await attributionRulesOf(tables, 3), defaultRules);
});

rules("are the same in any split into batches, and when some are applied again", async () => {
  const anyLog = fc.array(fc.record({ app: fc.constantFrom(1, 2), window: fc.nat(9) }), {
    minLength: 1,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(anyLog, fc.nat(), fc.nat(), async (said, cut, again) => {
      const log = recordedLog(said.map(({ app, window }) => saying(window * 60, app)));
      await tables.clear();
      await tables.apply(log);
      await split.clear();
      await split.apply(log.slice(0, cut % (log.length + 1)));
      await split.apply(log.slice(cut % (log.length + 1)));
      await split.apply(log.slice(again % log.length));
      assert.equal(await split.rows("attribution_rules"), await tables.rows("attribution_rules"));
    }),
    { numRuns: 30 },
  );
});

rules.run();
