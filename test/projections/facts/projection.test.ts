import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import { applyWithoutPoison } from "../../../projections/engine/parking/find-poison.ts";
import { facts as projection } from "../../../projections/facts/projection.ts";
import {
  attributionOf,
  decisionInForce,
  hasUndecidedTargets,
  openTargets,
} from "../../../projections/facts/queries.ts";
import { shop, shopRegistered } from "../../examples/app.ts";
import { anInstall, anOrder, phone } from "../../examples/app-events.ts";
import { wonBy } from "../../examples/decisions.ts";
import { exampleUuid, recordedLog } from "../../examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "./facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);

const apply = (...events: readonly StoredEvent[]) => tables.apply(recordedLog([shopRegistered, ...events]));
const refusedWith = async (...events: readonly StoredEvent[]): Promise<string> => {
  try {
    await tables.apply(recordedLog(events));
  } catch (failure) {
    return String((failure as { readonly code: string }).code);
  }
  return "taken";
};

const facts = suite("the facts");
facts.before.each(() => tables.clear());
facts.after(() => db.destroy());

facts("contain touchpoints with their local time, and their dimensions once", async () => {
  const bot = aClick({ touchpointId: exampleUuid("click", 2), verdict: { human: false, bot: "spider" } });
  await apply(aClick({ at: "2026-02-28T15:00:00.000Z" }), anImpression(), bot);
  const columns = ["position", "kind", "human", "local_date", "local_hour"];
  assert.equal(await tables.rows("touchpoints", ...columns), [
    { position: 200n, kind: "click", human: true, local_date: "2026-03-01", local_hour: 0 },
    { position: 400n, kind: "click", human: false, local_date: "2026-03-01", local_hour: 18 },
    { position: 300n, kind: "impression", human: true, local_date: "2026-03-01", local_hour: 17 },
  ]);
  assert.equal(await tables.rows("sources", "channel", "campaign", "tracking_link_id"), [
    { channel: "partner", campaign: "spring", tracking_link_id: 7n },
  ]);
  assert.equal(await tables.rows("clients", "os_name", "os_version", "app_version", "country"), [
    { os_name: "Android", os_version: "15", app_version: null, country: null },
  ]);
});

facts("contain app events with their amount and device", async () => {
  await apply(anOrder({ value: "10000.50", person: { deviceId: "phone", externalUserId: "kim" } }));
  const columns = [
    "from_position",
    "category",
    "source",
    "device_key",
    "value",
    "currency",
    "local_date",
    "local_hour",
  ];
  assert.equal(await tables.rows("app_events", ...columns), [
    {
      from_position: 200n,
      category: "app_order_complete",
      source: "app",
      device_key: phone,
      value: "10000.50",
      currency: "KRW",
      local_date: "2026-03-01",
      local_hour: 21,
    },
  ]);
  assert.equal(await tables.rows("clients", "os_name", "app_version", "country", "language"), [
    { os_name: "Android", app_version: "1.0", country: "KR", language: "ko" },
  ]);
});

facts("contain the first event of each id, in one batch or in several", async () => {
  const other = { source: { ...springSale, channel: "other" }, at: "2026-03-01T09:30:00.000Z" };
  await apply(aClick(), aClick(other), anInstall(), anInstall({ category: "app_order_complete" }));
  const once = await tables.all();
  await tables.apply(recordedLog([aClick(other), anInstall({ category: "app_deeplink_open" })], 9_000n));
  assert.equal(await tables.all(), once);
  assert.equal(
    [once.touchpoints?.length, once.sources?.length, once.app_events?.length, once.open_targets?.length],
    [1, 1, 1, 1],
  );
});

facts("keep equal ids of two apps apart", async () => {
  const second = { ...shopRegistered, data: { ...shop, appId: 2, name: "second", timezone: "Etc/UTC" } };
  await apply(second, aClick(), aClick({ appId: 2 }), anOrder(), anOrder({ appId: 2 }));
  assert.equal(await tables.rows("touchpoints", "app_id", "local_hour"), [
    { app_id: 1, local_hour: 18 },
    { app_id: 2, local_hour: 9 },
  ]);
  assert.equal(await tables.rows("app_events", "app_id", "is_first_of_device"), [
    { app_id: 1, is_first_of_device: true },
    { app_id: 2, is_first_of_device: true },
  ]);
});

facts("keep target events open until they are decided", async () => {
  await apply(aClick(), anInstall(), anOrder());
  const { eventId } = anInstall().data;
  assert.equal(
    (await openTargets(tables, 0n, 10)).map((target) => [target.eventId, target.position, target.category]),
    [[eventId, 300n, "app_install"]],
  );
  const undecided = () =>
    Promise.all([
      hasUndecidedTargets(tables, 1, 299n),
      hasUndecidedTargets(tables, 1, 300n),
      hasUndecidedTargets(tables, 2, 300n),
    ]);
  assert.equal(await undecided(), [false, true, false]);
  assert.equal(await attributionOf(tables, 1, eventId), { outcome: "undecided" });
  assert.is(await decisionInForce(tables, 1, eventId), "undecided");
  const decision = wonBy(anInstall(), aClick());
  await tables.apply(recordedLog([decision], 1_000n));
  assert.equal(await openTargets(tables, 0n, 10), []);
  assert.equal(await undecided(), [false, false, false]);
  assert.equal(await attributionOf(tables, 1, eventId), {
    outcome: "decided",
    latest: { decision: decision.data, position: 300n },
    former: [],
  });
  assert.equal(await attributionOf(tables, 1, anOrder().data.eventId), { outcome: "unknown" });
  assert.equal(await attributionOf(tables, 2, eventId), { outcome: "unknown" });
  assert.is(await decisionInForce(tables, 2, eventId), "unknown");
});

facts("reject events of unknown apps and decisions on unknown events, which are parked", async () => {
  assert.is(await refusedWith(aClick()), "23502");
  assert.is(await refusedWith(anOrder()), "23502");
  assert.is(await refusedWith(shopRegistered, wonBy(anInstall(), aClick())), "23502");
});

facts("replace text that Postgres cannot contain", async () => {
  const source = { ...springSale, campaignParams: { campaign: 'a\0b "quoted", {braced} \\ \ud800' } };
  const click = aClick({ source });
  await apply(click, anInstall(), wonBy(anInstall(), click));
  assert.equal(await tables.rows("sources", "campaign"), [{ campaign: 'a\ufffdb "quoted", {braced} \\ \ufffd' }]);
  const attribution = await attributionOf(tables, 1, anInstall().data.eventId);
  assert.is(attribution.outcome, "decided");
});

facts("are stored without those that cannot be, although their statements were pipelined with them", async () => {
  const ofNoApp = { appId: 2 } as const;
  const undecidable = anInstall({ eventId: exampleUuid("installed", 9) });
  const events = recordedLog([
    shopRegistered,
    aClick(),
    aClick({ ...ofNoApp, touchpointId: exampleUuid("click", 2) }),
    anImpression(),
    anInstall(),
    anOrder({ ...ofNoApp, eventId: exampleUuid("ordered", 2) }),
    wonBy(undecidable, aClick()),
    wonBy(anInstall(), aClick()),
    anOrder(),
  ]);
  const parked: bigint[] = [];
  await db.transaction((trx) =>
    applyWithoutPoison(trx, projection, tables.schema, events, new Set(), async ({ position }) => {
      parked.push(position.commit);
    }),
  );
  assert.equal(parked, [300n, 600n, 700n]);
  const other = await createFacts(db);
  await other.apply(events.filter(({ position }) => !parked.includes(position.commit)));
  assert.equal(await tables.all(), await other.all());
});

facts.run();
