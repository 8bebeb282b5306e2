import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../../domain/event-catalogue.ts";
import type { IdentifierKind } from "../../../../domain/prediction/events.ts";
import { lookUpContexts } from "../../../../projections/facts/app-events/context-lookup.ts";
import { fillVectors, vectorsOf } from "../../../../projections/facts/app-events/install-vectors.ts";
import { shop, shopRegistered } from "../../../examples/app.ts";
import { anInstall, phone } from "../../../examples/app-events.ts";
import { revisedBy, unattributed, wonBy } from "../../../examples/decisions.ts";
import { exampleUuid, recordedLog } from "../../../examples/recorded-log.ts";
import { aClick, springSale } from "../../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const facts = await createFacts(db);
const tablet = exampleUuid("device", 2);
const second = { ...shopRegistered, data: { ...shop, appId: 2, name: "second", salt: "11".repeat(32) } };

const install = anInstall({ person: { deviceId: "phone", partnerDeviceId: "d-1", externalUserId: "u-1" } });
const opened = (device: string, ids: object, minute = 0) =>
  anInstall({
    eventId: exampleUuid(`opened ${device}`, minute),
    category: "app_open",
    at: new Date(Date.parse("2026-03-02T10:00:00Z") + minute * 60_000).toISOString(),
    deviceKey: device,
    person: { deviceId: device, ...ids },
  });
const clicked = aClick({ deviceKey: phone });

const know = async (...events: readonly StoredEvent[]): Promise<void> => {
  await facts.clear();
  await facts.apply(recordedLog([shopRegistered, second, ...events], -100n));
};
const query = (kind: IdentifierKind, identifier: string, app = shop as { appId: number; salt: string }) => ({
  appId: app.appId,
  salt: app.salt,
  kind,
  identifier,
});
const resultOf = async (...parameters: Parameters<typeof query>) => {
  const [result] = await lookUpContexts(facts, [query(...parameters)]);
  return result;
};
const touchpointOf = async (...events: readonly StoredEvent[]) => {
  await know(...events);
  const result = await resultOf("service_generated_uuid", phone);
  return result?.outcome === "found" ? result.touchpoint : result?.outcome;
};

const found = {
  outcome: "found",
  userId: phone,
  installId: install.data.eventId,
  localDate: "2026-03-01",
  features: null,
  touchpoint: null,
};

const looking = suite("looking up a context");
looking.after(() => db.destroy());

looking("finds a device's install by each kind of identifier", async () => {
  await know(install);
  assert.equal(await resultOf("service_generated_uuid", phone), found);
  assert.equal(await resultOf("service_generated_uuid", phone.toUpperCase()), found);
  assert.equal(await resultOf("partner_device_id", "d-1"), found);
  assert.equal(await resultOf("service_external_user_id", "u-1"), found);
});

looking("is unknown by another kind, another spelling, another app, or a text that is not a UUID", async () => {
  await know(install);
  const unknown = { outcome: "unknown" };
  assert.equal(await resultOf("service_external_user_id", "d-1"), unknown);
  assert.equal(await resultOf("partner_device_id", "D-1"), unknown);
  assert.equal(await resultOf("partner_device_id", "d-1", second.data), unknown);
  assert.equal(await resultOf("service_generated_uuid", phone, second.data), unknown);
  assert.equal(await resultOf("service_generated_uuid", tablet), unknown);
  for (const text of ["", "phone", `{${phone}}`, phone.replaceAll("-", ""), "00000000-0000-0000-0000-000000000000"]) {
    assert.equal(await resultOf("service_generated_uuid", text), unknown);
  }
});

looking("finds a device that has sent events but no install", async () => {
  await know(opened(tablet, { partnerDeviceId: "d-2", externalUserId: "u-2" }));
  const none = { outcome: "no_install", userId: tablet };
  assert.equal(await resultOf("service_generated_uuid", tablet), none);
  assert.equal(await resultOf("partner_device_id", "d-2"), none);
  assert.equal(await resultOf("service_external_user_id", "u-2"), none);
});

looking("finds a partner's device id shared by two devices, and the last device of a user", async () => {
  const shared = { partnerDeviceId: "d-1", externalUserId: "u-1" };
  await know(install, opened(tablet, shared));
  assert.equal(await resultOf("partner_device_id", "d-1"), { outcome: "shared" });
  assert.equal(await resultOf("service_external_user_id", "u-1"), { outcome: "no_install", userId: tablet });
  await know(install, opened(tablet, shared), opened(phone, shared, 1));
  assert.equal(await resultOf("partner_device_id", "d-1"), { outcome: "shared" });
  assert.equal(await resultOf("service_external_user_id", "u-1"), found);
});

looking("finds the latest install by event time, then position", async () => {
  const again = (number: number, at: string) => anInstall({ eventId: exampleUuid("install", number), at });
  const installId = async () => {
    const result = await resultOf("service_generated_uuid", phone);
    return result?.outcome === "found" ? result.installId : result;
  };
  /** The same whether the events come in one batch or in two. */
  const foundAfter = async (first: StoredEvent, then: StoredEvent) => {
    await know(first, then);
    const inOneBatch = await installId();
    await know(first);
    await facts.apply(recordedLog([then], 200n));
    assert.equal(await installId(), inOneBatch);
    return inOneBatch;
  };
  const older = again(2, "2026-03-01T09:59:59.999Z");
  assert.equal(await foundAfter(install, older), install.data.eventId);
  const sameTime = again(3, install.data.at);
  assert.equal(await foundAfter(install, sameTime), sameTime.data.eventId);
  const newer = again(4, "2026-03-01T10:00:00.001Z");
  assert.equal(await foundAfter(newer, install), newer.data.eventId);
});

looking("returns the winner of the decision in force, also of a revision", async () => {
  const source = { ...springSale, campaignParams: { ...springSale.campaignParams, adCreative: "red", term: "boots" } };
  const late = aClick({ touchpointId: exampleUuid("click", 2), at: "2026-03-01T09:30:00.000Z", source });
  const spring = {
    localDate: "2026-03-01",
    sourceChannel: "partner",
    campaign: "spring",
    adGroup: "shoes",
    adCreative: null,
    term: null,
  };
  assert.is(await touchpointOf(clicked, install), null);
  assert.is(await touchpointOf(install, unattributed(install)), "unattributed");
  assert.equal(await touchpointOf(clicked, install, wonBy(install, clicked)), spring);
  const first = wonBy(install, clicked);
  assert.equal(await touchpointOf(clicked, install, first, late, revisedBy(first, late)), {
    ...spring,
    adCreative: "red",
    term: "boots",
  });
});

looking("returns the features once they are stored", async () => {
  await know(clicked, install);
  const [features] = await vectorsOf(facts, [install.data]);
  assert.equal(await resultOf("partner_device_id", "d-1"), found);
  await fillVectors(facts, 10);
  assert.equal(await resultOf("partner_device_id", "d-1"), { ...found, features });
});

looking("returns many results in the order of the look-ups", async () => {
  await know(install, opened(tablet, { partnerDeviceId: "d-2" }));
  const queries = [
    query("partner_device_id", "d-3"),
    query("partner_device_id", "d-2"),
    query("service_generated_uuid", phone),
    query("service_generated_uuid", phone),
  ];
  assert.equal(await lookUpContexts(facts, queries), [
    { outcome: "unknown" },
    { outcome: "no_install", userId: tablet },
    found,
    found,
  ]);
  assert.equal(await lookUpContexts(facts, []), []);
});

looking.run();
