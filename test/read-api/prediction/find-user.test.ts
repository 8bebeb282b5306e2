import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LastTouchpoint } from "../../../domain/prediction/events.ts";
import type { Identifier } from "../../../domain/prediction/identifier.ts";
import type {
  ContextQuery,
  ContextResult,
  FoundContext,
} from "../../../projections/facts/app-events/context-lookup.ts";
import type { RestrictionQuery } from "../../../projections/reports/masking/restricted-touchpoints.ts";
import type { FoundUser } from "../../../read-api/prediction/context-checks.ts";
import { type FindUserDeps, findUser } from "../../../read-api/prediction/find-user.ts";
import { anInstallOf, foundUser, someFeatures, springTouchpoint } from "../../examples/context.ts";
import { servedShop } from "../../support/application.ts";

const { userId, installId } = anInstallOf;
const identifier: Identifier = { kind: "partner_device_id", value: "partner-1" };
const winner = {
  ...{ localDate: "2026-02-28", sourceChannel: "partner", campaign: "spring", adGroup: "shoes" },
  ...{ adCreative: null, term: null },
};
const stored: FoundContext = {
  outcome: "found",
  userId,
  installId,
  localDate: "2026-03-01",
  features: someFeatures,
  touchpoint: winner,
};
/** March 31 at 23:30 in UTC: April 1 in Seoul. */
const now = Date.parse("2026-03-31T23:30:00.000Z");

/** The user found behind a look-up's result, and the queries on the way. */
async function find(result: ContextResult, changes: Partial<FindUserDeps> = {}, app = servedShop) {
  const lookedUp: ContextQuery[] = [];
  const computed: (readonly [number, string])[] = [];
  const restrictions: RestrictionQuery[] = [];
  const user = await findUser(app, identifier, {
    lookUp: async (query) => {
      lookedUp.push(query);
      return result;
    },
    computeFeatures: async (appId, install) => {
      computed.push([appId, install]);
      return someFeatures;
    },
    isRestricted: async (query) => {
      restrictions.push(query);
      return false;
    },
    now: () => now,
    ...changes,
  });
  return { user, lookedUp, computed, restrictions };
}

async function touchpointOf(
  touchpoint: FoundContext["touchpoint"],
  changes: Partial<FindUserDeps> = {},
): Promise<LastTouchpoint | null> {
  const { user } = await find({ ...stored, touchpoint }, changes);
  if (user.outcome !== "found") throw new Error(`The user is ${user.outcome}`);
  return user.lastTouchpoint;
}

const nothingOfCampaigns = { campaign: null, adGroup: null, adCreative: null, term: null };
const fail = async (): Promise<never> => {
  throw new Error("away");
};

const finding = suite("the user whom an identifier names");

finding("is looked up by the app, its salt and the identifier", async () => {
  const { lookedUp } = await find(stored);
  const { appId, salt } = servedShop;
  assert.equal(lookedUp, [{ appId, salt, kind: "partner_device_id", identifier: "partner-1" }]);
});

for (const [result, expected] of [
  [{ outcome: "unknown" }, { outcome: "unknown" }],
  [{ outcome: "shared" }, { outcome: "shared" }],
  [
    { outcome: "no_install", userId },
    { outcome: "no_install", userId },
  ],
  [stored, foundUser],
] as const satisfies readonly (readonly [ContextResult, FoundUser])[]) {
  finding(`is ${expected.outcome} as the look-up has it`, async () => {
    const { user, computed, restrictions } = await find(result);
    assert.equal(user, expected);
    assert.equal([computed.length, restrictions.length], [0, result.outcome === "found" ? 1 : 0]);
  });
}

finding("has features that are computed when none are stored yet", async () => {
  const features = { ...someFeatures, install_value: 9 };
  const computed = await find({ ...stored, features: null }, { computeFeatures: async () => features });
  assert.equal(computed.user, { ...foundUser, features });
  assert.equal((await find({ ...stored, features: null })).computed, [[servedShop.appId, installId]]);
});

const redBoots = { adCreative: "red", term: "boots" };
for (const [name, touchpoint, isRestricted, expected] of [
  ["null while it is undecided", null, true, null],
  ["unattributed without a winner", "unattributed", true, { channel: "unattributed", ...nothingOfCampaigns }],
  ["the winner's", winner, false, springTouchpoint],
  ["the winner's in all five", { ...winner, ...redBoots }, false, { ...springTouchpoint, ...redBoots }],
  ["restricted when it is withheld", winner, true, { channel: "restricted", ...nothingOfCampaigns }],
] as const) {
  finding(`has a last touchpoint that is ${name}`, async () => {
    assert.equal(await touchpointOf(touchpoint, { isRestricted: async () => isRestricted }), expected);
  });
}

finding("is restricted by the dates of the touchpoint, the install and today in the app's time zone", async () => {
  const todayIn = async (timezone: string) => (await find(stored, {}, { ...servedShop, timezone })).restrictions;
  const query = { appId: servedShop.appId, channel: "partner", dates: ["2026-02-28", "2026-03-01"] };
  assert.equal(await todayIn("Asia/Seoul"), [{ ...query, today: "2026-04-01" }]);
  assert.equal(await todayIn("Etc/UTC"), [{ ...query, today: "2026-03-31" }]);
  for (const touchpoint of [null, "unattributed"] as const)
    assert.equal((await find({ ...stored, touchpoint })).restrictions, []);
});

for (const step of ["lookUp", "isRestricted", "computeFeatures"] as const) {
  finding(`is no answer at all when ${step} fails`, async () => {
    const [outcome] = await Promise.allSettled([find({ ...stored, features: null }, { [step]: fail })]);
    assert.is(outcome.status === "rejected" && String(outcome.reason), "Error: away");
  });
}

finding.run();
