import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AppEventRecorded } from "../../../../domain/app-events/events.ts";
import { customChannel } from "../../../../domain/channels/channel-name.ts";
import type { ChannelChanged } from "../../../../domain/channels/events.ts";
import type { RecordedEvent, StoredEvent } from "../../../../domain/event-catalogue.ts";
import { type Features, featureNames, vectorOf } from "../../../../domain/prediction/features.ts";
import { installFeatures } from "../../../../domain/prediction/install-features.ts";
import { localTime } from "../../../../domain/values/local-time.ts";
import { fillVectors, vectorsOf } from "../../../../projections/facts/app-events/install-vectors.ts";
import { shop, shopRegistered } from "../../../examples/app.ts";
import { anInstall, phone } from "../../../examples/app-events.ts";
import { revisedBy, unattributed, wonBy } from "../../../examples/decisions.ts";
import { exampleUuid, recordedAt, recordedLog } from "../../../examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../../examples/touchpoints.ts";
import { anySteps, type History, historyOf } from "../attribution/late-history.ts";
import { attributionOf } from "../attribution/late-reference.ts";
import { createFacts, type FactsTables, openTestDatabase } from "../facts-tables.ts";
import { appEventsIn, isBefore, type RecordedAppEvent } from "../reference.ts";

const db = await openTestDatabase();
const facts = await createFacts(db);
const other = await createFacts(db);

type Flag = RecordedEvent<ChannelChanged>;

interface VectorRow {
  readonly event_id: string;
  readonly features: readonly number[];
}

const storedVectors = async ({ schema }: FactsTables): Promise<readonly VectorRow[]> =>
  (await db.raw<{ rows: VectorRow[] }>(`select * from ${schema}.install_vectors order by event_id`)).rows;
const keyOf = ({ data: { appId, eventId } }: AppEventRecorded) => ({ appId, eventId });
const vectorOfInstall = async (tables: FactsTables, install: AppEventRecorded): Promise<Features> => {
  const [features] = await vectorsOf(tables, [keyOf(install)]);
  if (features === undefined) throw new Error("No features were answered");
  return features;
};

const example = suite("the features of an install");
example.before.each(() => facts.clear());

const install = anInstall({ value: "12.50", currency: "KRW", person: { deviceId: "phone" } });
const click = aClick({ deviceKey: phone, source: { ...springSale, channel: "twitter" } });
const seen = anImpression({ deviceKey: phone });
const twitterIs = (selfAttributing: boolean): ChannelChanged => ({
  type: "ChannelChanged",
  data: { ...customChannel("twitter"), selfAttributing },
});

example("are those of domain/prediction, computed from the facts", async () => {
  await facts.apply(recordedLog([shopRegistered, click, seen, install]));
  const features = await vectorOfInstall(facts, install);
  const { target, candidates, rules } = attributionOf(
    recordedLog([shopRegistered, click, seen, install]) as History,
    recordedAt(400n, install),
  );
  assert.equal(
    features,
    installFeatures({
      target,
      candidates,
      rules,
      local: { date: "2026-03-01", hour: 19 },
      os: "Android",
      value: "12.50",
      isReinstall: false,
      isSelfAttributing: (channel) => channel === "twitter",
    }),
  );
  const { trackinglink_count, click_count, is_attributed, is_self_attributing, install_value, os_is_android } =
    features;
  assert.equal(
    [trackinglink_count, click_count, is_attributed, is_self_attributing, install_value, os_is_android],
    [2, 1, 1, 1, 12.5, 1],
  );
});

example("change with an earlier touchpoint if and only if it is at or below the install's position", async () => {
  const late = anImpression({ deviceKey: phone, at: "2026-03-01T09:30:00.000Z" });
  const without = await afterwards([click, install], []);
  assert.is(without.trackinglink_count, 1);
  assert.is((await afterwards([click, late, install], [])).trackinglink_count, 2);
  assert.equal(await afterwards([click, install], [late]), without);
});

example("stay when the attribution is decided, and revised for a late touchpoint", async () => {
  const lateClick = aClick({ touchpointId: exampleUuid("click", 2), deviceKey: phone, at: "2026-03-01T09:30:00.000Z" });
  const alone = await afterwards([install], []);
  assert.is(alone.is_attributed, 0);
  const decision = unattributed(install);
  assert.equal(await afterwards([install], [decision, lateClick, revisedBy(decision, lateClick)]), alone);
  const won = await afterwards([click, install], []);
  assert.equal(await afterwards([click, install], [wonBy(install, click), lateClick]), won);
});

example("know channels as they were at the install's position", async () => {
  const flagOf = async (before: readonly StoredEvent[], later: readonly StoredEvent[]) =>
    (await afterwards([...before, click, install], later)).is_self_attributing;
  assert.is(await flagOf([twitterIs(false)], [twitterIs(true)]), 0);
  assert.is(await flagOf([], [twitterIs(false)]), 1);
});

example("know of an earlier install only when it is in the log before", async () => {
  const earlier = anInstall({ eventId: exampleUuid("install", 2), at: "2026-02-01T10:00:00.000Z" });
  assert.is((await afterwards([earlier, install], [])).is_reinstall, 1);
  assert.is((await afterwards([install], [earlier])).is_reinstall, 0);
});

example("are only those of installs", async () => {
  const open = anInstall({ eventId: exampleUuid("open", 1), category: "app_deeplink_open" });
  await facts.apply(recordedLog([shopRegistered, open]));
  for (const event of [open, install]) {
    const failure = await vectorOfInstall(facts, event).catch((thrown: Error) => thrown);
    assert.match(String(failure), /is not stored as an install/);
  }
  assert.is(await fillVectors(facts, 10), 0);
});

/** The features stored once `before` is there, which must be those computed when all is. */
async function afterwards(before: readonly StoredEvent[], later: readonly StoredEvent[]): Promise<Features> {
  await facts.clear();
  const known = [shopRegistered, ...before];
  await facts.apply(recordedLog(known));
  await fillVectors(facts, 10);
  const first = await storedVectors(facts);
  await facts.apply(recordedLog(later, 100n * BigInt(known.length + 1)));
  await fillVectors(facts, 10);
  const features = await vectorOfInstall(facts, install);
  const event_id = install.data.eventId;
  const row = first.find((one) => one.event_id === event_id);
  assert.equal(row, { app_id: 1, event_id, features: vectorOf(features, featureNames) });
  const ofInstall = (await storedVectors(facts)).filter((one) => one.event_id === event_id);
  assert.equal(ofInstall, [row]);
  return features;
}

example.run();

const filling = suite("filling the features of installs");

const many = Array.from({ length: 7 }, (_, index) =>
  anInstall({ eventId: exampleUuid("install", index), deviceKey: exampleUuid("device", index) }),
);

filling("takes the oldest first, each once, until none is left", async () => {
  await facts.clear();
  await facts.apply(recordedLog([shopRegistered, click, ...many]));
  assert.is(await fillVectors(facts, 3), 3);
  const ids = (await storedVectors(facts)).map(({ event_id }) => event_id);
  assert.equal(
    ids,
    [0, 1, 2].map((number) => exampleUuid("install", number)),
  );
  assert.is(await fillVectors(facts, 10), 4);
  assert.is(await fillVectors(facts, 10), 0);
  await facts.apply(recordedLog([shopRegistered, click, ...many]));
  assert.is(await fillVectors(facts, 10), 0);
});

filling("is the same in two runs at a time, and in another generation", async () => {
  const log = recordedLog([
    shopRegistered,
    click,
    ...many,
    twitterIs(false),
    ...many.slice(0, 1).map((install) => wonBy(install, click)),
  ]);
  await facts.clear();
  for (const event of log) await facts.apply([event]);
  const runs = await Promise.all([fillVectors(facts, 4), fillVectors(facts, 4), fillVectors(facts, 4)]);
  assert.is(
    runs.reduce((sum, filled) => sum + filled, 0),
    7,
  );
  await other.clear();
  await other.apply(log);
  const replayed = await other.all();
  await fillVectors(other, 10);
  assert.equal(await other.all(), replayed);
  assert.equal(await storedVectors(other), await storedVectors(facts));
  assert.is((await storedVectors(other)).length, 7);
});

filling.run();

const leakage = suite("the features of any install");
leakage.after(() => db.destroy());

leakage("depend on nothing above its position, whatever comes, goes or is in another order there", async () => {
  let known = 0;
  let revisions = 0;
  await fc.assert(
    fc.asyncProperty(anySteps, anyFlags, fc.infiniteStream(fc.nat(1_000)), async (steps, flags, numbers) => {
      await facts.clear();
      const history = await historyOf(halfOfTouchpointsFirst(steps), facts);
      await facts.apply(flags);
      revisions += history.filter(({ type }) => type === "AttributionRevised").length;
      const installs = appEventsIn(history).filter(({ data }) => data.category === "app_install");
      const expected = installs.map((event) => expectedFeatures(history, flags, event));
      known += expected.reduce((sum, { trackinglink_count }) => sum + trackinglink_count, 0);
      assert.equal(await vectorsOf(facts, installs.map(keyOf)), expected);
      const [chosen, features] = [installs[0], expected[0]];
      if (chosen === undefined || features === undefined) return;
      await other.clear();
      const position = chosen.position.commit;
      const upTo = (event: RecordedEvent) => event.position.commit <= position;
      await other.apply([...flags.filter(upTo), ...history.filter(upTo)]);
      await fillVectors(other, 100);
      const before = await storedVectors(other);
      const sent = history.filter((event) => !upTo(event) && !event.type.startsWith("Attribution"));
      await other.apply(shuffledAfter(history, sent, numbers));
      assert.equal(await vectorsOf(other, [keyOf(chosen)]), [features]);
      await fillVectors(other, 100);
      const rows = await storedVectors(other);
      for (const row of before)
        assert.equal(
          rows.filter((one) => JSON.stringify(one) === JSON.stringify(row)),
          [row],
        );
    }),
    { numRuns: 25 },
  );
  assert.ok(known > 10, `${known} touchpoints were known`);
  assert.ok(revisions > 0, `${revisions} revisions were made`);
});

/** Else most of them would come too late to be known. */
function halfOfTouchpointsFirst<Step extends { readonly type: string }>(steps: readonly Step[]): readonly Step[] {
  const first = steps.filter(({ type }, index) => index % 2 === 0 && /Click|Impression/.test(type));
  return [...first, ...steps.filter((step) => !first.includes(step))];
}

const anyFlags: fc.Arbitrary<readonly Flag[]> = fc
  .array(fc.tuple(fc.constantFrom("partner", "other"), fc.boolean(), fc.nat(40)), { maxLength: 6 })
  .map((changes) =>
    [...new Map(changes.map((change) => [change[2], change])).values()]
      .sort(([, , one], [, , another]) => one - another)
      .map(([name, selfAttributing, place]) =>
        recordedAt(BigInt(place) * 100n + 50n, {
          type: "ChannelChanged",
          data: { ...customChannel(name), selfAttributing },
        }),
      ),
  );

function expectedFeatures(history: History, flags: readonly Flag[], event: RecordedAppEvent): Features {
  const position = event.position.commit;
  const known = history.filter((one) => one.position.commit <= position);
  const { at, deviceKey, device, value } = event.data;
  const attribution = attributionOf(known, event);
  return installFeatures({
    ...attribution,
    local: localTime(shop.timezone, Date.parse(at)),
    os: device.os ?? null,
    value,
    isReinstall: appEventsIn(known).some(
      (one) => one.data.category === "app_install" && one.data.deviceKey === deviceKey && isBefore(one, event),
    ),
    isSelfAttributing: (channel) =>
      flags.findLast((flag) => flag.data.name === channel && flag.position.commit <= position)?.data.selfAttributing ??
      false,
  });
}

/** Some of the events, in another order, at positions above all others. */
function shuffledAfter(history: History, events: History, numbers: Iterator<number>): History {
  const some = events
    .filter(() => numbers.next().value % 3 > 0)
    .map((event) => ({ event, rank: numbers.next().value }));
  return some
    .sort((one, another) => one.rank - another.rank)
    .map(({ event }, index) => recordedAt(BigInt(history.length + index + 1) * 100n, event));
}

leakage.run();
