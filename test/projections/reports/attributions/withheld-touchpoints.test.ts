import { inspect } from "node:util";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decideAttribution } from "../../../../domain/attribution/decide-attribution.ts";
import { defaultRules } from "../../../../domain/attribution/default-rules.ts";
import type { AttributionDecided } from "../../../../domain/attribution/events.ts";
import type { TouchpointEvent } from "../../../../domain/touchpoints/events.ts";
import { candidatesOf } from "../../../../projections/facts/attribution/candidates.ts";
import { openTargets } from "../../../../projections/facts/queries.ts";
import { shownAttribution } from "../../../../projections/reports/attributions/shown-attribution.ts";
import { shopRegistered } from "../../../examples/app.ts";
import { anInstall, phone } from "../../../examples/app-events.ts";
import { revisedBy } from "../../../examples/decisions.ts";
import { exampleUuid, recordedLog } from "../../../examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../../facts/facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);

const install = anInstall({ at: "2026-03-05T10:00:00.000Z" });
const query = {
  appId: 1,
  timezone: "Asia/Seoul",
  eventId: install.data.eventId,
  now: new Date("2026-03-10T00:00:00Z"),
};

/** What is told of no withheld touchpoint. */
const aSecret = fc.record({
  channel: fc.constantFrom("twitter", "tiktok", "apple.searchads"),
  campaign: fc.constantFrom("spring", "autumn", "봄"),
  link: fc.integer({ min: 1, max: 9 }),
  number: fc.integer({ min: 1_000, max: 9_999 }),
  seconds: fc.nat(59),
});

const aTouchpoint = fc.record({
  minutesBefore: fc.integer({ min: 1, max: 8 * 1_440 }),
  isClick: fc.boolean(),
  isOfDevice: fc.boolean(),
  arrivesLater: fc.boolean(),
  isWithheld: fc.boolean(),
  one: aSecret,
  other: aSecret,
});

const aHistory = fc.record({
  touchpoints: fc.uniqueArray(aTouchpoint, {
    selector: ({ minutesBefore }) => minutesBefore,
    minLength: 3,
    maxLength: 9,
  }),
  isRevised: fc.boolean(),
});

type Drawn = typeof aHistory extends fc.Arbitrary<infer History> ? History : never;

/** The touchpoints in one of two histories, which are told apart by what withheld ones are. */
function touchpointsIn(
  world: "one" | "other",
  { touchpoints }: Drawn,
): readonly (readonly [TouchpointEvent, boolean])[] {
  return touchpoints.map((touchpoint, index) => {
    const { minutesBefore, isClick, isOfDevice, arrivesLater, isWithheld } = touchpoint;
    const { channel, campaign, link, number, seconds } = touchpoint[world];
    const hidden = { ...springSale, channel, trackingLinkId: link, campaignParams: { campaign } };
    const at = new Date(Date.parse(install.data.at) - minutesBefore * 60_000 + (isWithheld ? seconds * 1_000 : 0));
    const happened = (isClick ? aClick : anImpression)({
      touchpointId: exampleUuid("touchpoint", isWithheld ? number * 10 + index : index),
      at: at.toISOString(),
      deviceKey: isOfDevice ? phone : null,
      source: isWithheld ? { ...hidden, channelType: "integrated" } : springSale,
    });
    return [happened, arrivesLater];
  });
}

async function shownIn(world: "one" | "other", drawn: Drawn) {
  const touchpoints = touchpointsIn(world, drawn);
  const those = (late: boolean) => touchpoints.flatMap(([touchpoint, isLate]) => (isLate === late ? [touchpoint] : []));
  const before = [shopRegistered, ...those(false), install];
  await tables.clear();
  await tables.apply(recordedLog(before));
  const [target] = await openTargets(tables, 0n, 1);
  const [candidates] = target === undefined ? [] : await candidatesOf(tables, [target]);
  if (target === undefined || candidates === undefined) throw new Error("The install is to be decided");
  const decision = decideAttribution(target, candidates, defaultRules) as AttributionDecided;
  const [late] = those(true);
  const revision = drawn.isRevised && late !== undefined ? [revisedBy(decision, late)] : [];
  const after = [decision, ...those(true), ...revision];
  await tables.apply(recordedLog([...before, ...after]).slice(before.length));
  return shownAttribution(tables, query);
}

const attributions = suite("attributions in histories that differ in withheld touchpoints");
attributions.after(() => db.destroy());

attributions("are shown alike", async () => {
  let restricted = 0;
  await fc.assert(
    fc.asyncProperty(aHistory, async (drawn) => {
      const [shown, other] = [await shownIn("one", drawn), await shownIn("other", drawn)];
      assert.is(shown.outcome, "decided");
      assert.equal(shown, other);
      restricted += inspect(shown, { depth: null }).split("'restricted'").length - 1;
    }),
    { numRuns: 25, endOnFailure: true },
  );
  assert.ok(restricted > 25, `${restricted}`);
});

attributions.run();
