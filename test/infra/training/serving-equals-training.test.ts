import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import { type FeatureName, type Features, featureNames, vectorOf } from "../../../domain/prediction/features.ts";
import { readInstalls } from "../../../infra/training/read-installs.ts";
import { columnNames } from "../../../infra/training/training-input.ts";
import { idNumbers } from "../../../infra/training/typed-columns.ts";
import { featuresFrom, fillVectors, vectorsOf } from "../../../projections/facts/app-events/install-vectors.ts";
import { shop, shopRegistered } from "../../examples/app.ts";
import { anInstall, phone } from "../../examples/app-events.ts";
import { exampleUuid, recordedLog } from "../../examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../../projections/facts/facts-tables.ts";
import { anyTrainingLog, newYorkShop } from "./any-training-log.ts";
import { logOf } from "./simulated-log.ts";

const db = await openTestDatabase();
const facts = await createFacts(db);
const apps = [shop, newYorkShop.data];

/** An install with its features; training knows its id by a hash alone. */
interface Known {
  readonly idHash: number;
  readonly at: number;
  readonly features: Features;
}

const seed = 7;
function hashOf(eventId: string): number {
  const ids = idNumbers();
  return ids.mixed(ids.numberOf(eventId), seed);
}

/** What training makes of a log, and what context calls are answered from, app by app. */
async function bothOf(events: readonly StoredEvent[]) {
  const log = [newYorkShop, ...events];
  await facts.clear();
  const recorded = recordedLog<StoredEvent>([shopRegistered, ...log]);
  const half = Math.floor(recorded.length / 2);
  for (const batch of [recorded.slice(0, half), recorded.slice(half)]) await facts.apply(batch);
  await fillVectors(facts, 100);
  return Promise.all(apps.map(async (app) => ({ trained: await trainedOf(log, app), ...(await servedOf(app.appId)) })));
}

async function trainedOf(log: readonly StoredEvent[], app: (typeof apps)[number]): Promise<readonly Known[]> {
  const { at, features, hash, count } = await readInstalls(logOf(log), app, () => {});
  return Array.from({ length: count }, (_, install) => {
    const row = features.subarray(install * columnNames.length, (install + 1) * columnNames.length);
    const named = Object.fromEntries(columnNames.map((name, index) => [name, row[index]]));
    return { idHash: hash(install, seed), at: at[install] ?? Number.NaN, features: named as Features };
  });
}

interface StoredRow {
  readonly event_id: string;
  readonly at: Date;
  readonly features: readonly number[];
}

/** The installs that the facts hold, with the features that were stored and those computed by replay. */
async function servedOf(appId: number) {
  const { schema } = facts;
  const { rows }: { rows: readonly StoredRow[] } = await db.raw(
    `select target.event_id, target.at, vector.features
     from ${schema}.targets as target left join ${schema}.install_vectors as vector using (app_id, event_id)
     where target.app_id = ? and target.category = 'app_install' order by target.position`,
    [appId],
  );
  const computed = await vectorsOf(
    facts,
    rows.map(({ event_id }) => ({ appId, eventId: event_id })),
  );
  const known = rows.map(({ event_id, at }) => ({ idHash: hashOf(event_id), at: at.getTime() }));
  const stored = rows.map(({ features }) => featuresFrom(features));
  const withFeatures = (all: readonly Features[]): readonly Known[] =>
    known.flatMap((install, index) => all.slice(index, index + 1).map((features) => ({ ...install, features })));
  return { stored: withFeatures(stored), computed: withFeatures(computed) };
}

function bitsOf(installs: readonly Known[]): string {
  const doubles = installs.flatMap(({ features }) => vectorOf(features, featureNames));
  return Buffer.from(Float64Array.from(doubles).buffer).toString("hex");
}

/** Asserts that training and serving have the same installs with the same doubles, and answers them. */
async function same(events: readonly StoredEvent[]): Promise<readonly Known[]> {
  const both = await bothOf(events);
  for (const { trained, stored, computed } of both) {
    assert.equal(trained, stored);
    assert.equal(computed, stored);
    assert.equal([bitsOf(trained), bitsOf(computed)], [bitsOf(stored), bitsOf(stored)]);
  }
  return both.flatMap(({ trained }) => trained);
}

/** So many milliseconds before the install. */
const before = (ms: number): string => new Date(Date.parse(anInstall().data.at) - ms).toISOString();

const equality = suite("installs as read by training and by context calls");
equality.after(() => db.destroy());

equality("have the same features to the last bit, whatever is in the log", async () => {
  const varied = new Set<FeatureName>();
  await fc.assert(
    fc.asyncProperty(anyTrainingLog, async (events) => {
      for (const { features } of await same(events))
        for (const name of featureNames) if (features[name] !== 0) varied.add(name);
    }),
    { numRuns: 40 },
  );
  assert.equal(
    featureNames.filter((name) => !varied.has(name)),
    [],
  );
});

equality("have the same features behind more touchpoints than are listed", async () => {
  const flood = Array.from({ length: 1_300 }, (_, number) =>
    aClick({
      touchpointId: exampleUuid("flood", number),
      at: before(number * 1_000),
      deviceKey: number < 300 ? phone : null,
      source: { ...springSale, channel: `channel-${number % 7}` },
      ...(number % 5 === 0 ? { verdict: { human: false, bot: "spider" } } : {}),
    }),
  );
  const seen = Array.from({ length: 10 }, (_, number) =>
    anImpression({ touchpointId: exampleUuid("seen", number), at: before(3_600_000 + number * 3_000) }),
  );
  const [install] = await same([...flood, ...seen, anInstall()]);
  assert.equal([install?.features.trackinglink_count, install?.features.click_count], [1_000, 1_000]);
});

equality("count a touchpoint of their address for exactly 30 days", async () => {
  const countOf = async (ms: number) =>
    (await same([aClick({ at: before(ms) }), anInstall()]))[0]?.features.click_count;
  const days = 30 * 86_400_000;
  assert.equal([await countOf(days - 1), await countOf(days), await countOf(days + 1)], [1, 1, 0]);
});

equality.run();
