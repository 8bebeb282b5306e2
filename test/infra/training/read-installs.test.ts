import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AppEventRecorded } from "../../../domain/app-events/events.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import type { Features } from "../../../domain/prediction/features.ts";
import { readInstalls } from "../../../infra/training/read-installs.ts";
import { columnNames, type Installs } from "../../../infra/training/training-input.ts";
import { shop } from "../../examples/app.ts";
import { anInstall, anOrder } from "../../examples/app-events.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../examples/touchpoints.ts";
import { logOf } from "./simulated-log.ts";

const test = suite("installs as training reads them");
const day = 86_400_000;
const installedAt = Date.parse(anInstall().data.at);
const after = (ms: number): string => new Date(installedAt + ms).toISOString();

function read(...events: readonly StoredEvent[]): Promise<Installs> {
  return readInstalls(logOf(events), shop, () => {});
}

async function featuresOfFirst(...events: readonly StoredEvent[]): Promise<Partial<Features>> {
  return featuresAt(await read(...events), 0);
}

function featuresAt({ features }: Installs, install: number): Partial<Features> {
  const width = columnNames.length;
  return Object.fromEntries(columnNames.map((name, column) => [name, features[install * width + column]]));
}

/** What was bought and left, install by install. */
async function labels(...events: readonly StoredEvent[]): Promise<readonly (readonly [number, number])[]> {
  const { purchased, churned } = await read(...events);
  return Array.from(purchased, (label, install) => [label, churned[install] ?? Number.NaN]);
}

const order = (at: string, changes: Partial<AppEventRecorded["data"]> = {}) =>
  anOrder({ eventId: exampleUuid("order at", Date.parse(at)), at, ...changes });
const opening = (at: string) => order(at, { category: "app_open" });

test("have features from the events before them in the log", async () => {
  const { channel_entropy, install_hour_sin, install_hour_cos, ...features } = await featuresOfFirst(
    anImpression(),
    aClick(),
    anInstall({ value: "2.5" }),
  );
  assert.equal(features, {
    trackinglink_count: 2,
    click_count: 1,
    impression_count: 1,
    click_ratio: 0.5,
    unique_channel_count: 1,
    latency_s: 7_200,
    recency_s: 3_600,
    last1h_touch_count: 1,
    last24h_touch_count: 2,
    recent_24h_ratio: 1,
    touch_per_latency_hour: 1,
    is_single_touch: 0,
    is_attributed: 1,
    is_self_attributing: 0,
    is_reinstall: 0,
    install_weekday: 7,
    os_is_ios: 0,
    os_is_android: 1,
    install_value: 2.5,
  });
});

test("bought when an order followed within exactly 3 days, and not when it came later or before", async () => {
  assert.equal(await labels(anInstall(), order(after(3 * day))), [[1, 1]]);
  assert.equal(await labels(anInstall(), order(after(3 * day + 1))), [[0, 0]]);
  assert.equal(await labels(anInstall(), order(after(0))), [[1, 1]]);
  assert.equal(await labels(order(after(-1)), anInstall()), [[0, 1]]);
});

test("churned when no event of the device came later than exactly 3 days after", async () => {
  assert.equal(await labels(anInstall(), opening(after(3 * day))), [[0, 1]]);
  assert.equal(await labels(anInstall(), opening(after(3 * day + 1))), [[0, 0]]);
  const another = { ...opening(after(4 * day)).data, deviceKey: exampleUuid("device", 2) };
  assert.equal(await labels(anInstall(), anInstall(another)), [[0, 1]]);
});

test("have labels by event time, whatever the order of the log", async () => {
  assert.equal(await labels(opening(after(4 * day)), order(after(day)), anInstall()), [[1, 0]]);
});

test("count once by event id, and an id that meant something else before is no install", async () => {
  assert.is((await read(anInstall(), anInstall({ at: after(day) }))).count, 1);
  assert.is((await read(anOrder({ eventId: anInstall().data.eventId }), anInstall())).count, 0);
});

test("of other apps are passed over", async () => {
  assert.is((await read(anInstall({ appId: 2 }))).count, 0);
  assert.is((await featuresOfFirst(aClick({ appId: 2 }), anInstall())).trackinglink_count, 0);
});

test("are re-installs when an earlier one of the device was in the log already", async () => {
  const other = (ms: number) => anInstall({ eventId: exampleUuid("install", 2), at: after(ms) });
  const isReinstall = async (...events: readonly StoredEvent[]) => {
    const installs = await read(...events);
    return [0, 1].map((install) => featuresAt(installs, install).is_reinstall);
  };
  assert.equal(await isReinstall(anInstall(), other(day)), [0, 1]);
  assert.equal(await isReinstall(anInstall(), other(0)), [0, 1]);
  assert.equal(await isReinstall(anInstall(), other(-day)), [0, 0]);
});

test("are attributed by the rules in force at their position", async () => {
  const rules = { ...defaultRules, click: { device: 0, probabilistic: 0 } };
  const changed: StoredEvent = { type: "AttributionRulesChanged", data: { appId: shop.appId, rules } };
  assert.is((await featuresOfFirst(aClick(), changed, anInstall())).is_attributed, 0);
  assert.is((await featuresOfFirst(aClick(), anInstall(), changed)).is_attributed, 1);
});

test("know whether their channel attributes itself, as it was at their position", async () => {
  const click = aClick({ source: { ...springSale, channel: "tiktok" } });
  const changed: StoredEvent = {
    type: "ChannelChanged",
    data: { name: "tiktok", displayName: "T", type: "integrated", costIntegrated: true, selfAttributing: false },
  };
  assert.is((await featuresOfFirst(click, anInstall())).is_self_attributing, 1);
  assert.is((await featuresOfFirst(click, changed, anInstall())).is_self_attributing, 0);
  assert.is((await featuresOfFirst(click, anInstall(), changed)).is_self_attributing, 1);
});

test("keep their features whatever comes into the log later", async () => {
  const known = [anImpression(), aClick(), anInstall()];
  const later: readonly StoredEvent[] = [
    aClick({ touchpointId: exampleUuid("click", 2), at: after(-60_000) }),
    anImpression({ touchpointId: exampleUuid("impression", 2), at: after(-1) }),
    anInstall({ eventId: exampleUuid("install", 2), at: after(-day) }),
    order(after(day)),
    {
      type: "AttributionRulesChanged",
      data: { appId: shop.appId, rules: { ...defaultRules, click: { device: 0, probabilistic: 0 } } },
    },
  ];
  const expected = await featuresOfFirst(...known);
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([...later]), async (events) => {
      assert.equal(await featuresOfFirst(...known, ...events), expected);
    }),
  );
});

test.run();
