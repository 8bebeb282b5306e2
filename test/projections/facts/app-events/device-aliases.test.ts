import { createHmac } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AppEventRecorded } from "../../../../domain/app-events/events.ts";
import { aliasOf, identifierHash } from "../../../../projections/facts/app-events/device-aliases.ts";
import { shop, shopRegistered } from "../../../examples/app.ts";
import { anInstall, phone } from "../../../examples/app-events.ts";
import { exampleUuid, recordedLog } from "../../../examples/recorded-log.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const facts = await createFacts(db);
const tablet = exampleUuid("device", 2);
const second = { ...shop, appId: 2, name: "second", salt: "11".repeat(32) };

interface Sending {
  readonly from: string;
  readonly partnerDeviceId?: string;
  readonly externalUserId?: string;
  readonly minute?: number;
  readonly appId?: number;
}

let events = 0;
function sending({ from, minute = 0, appId = 1, ...ids }: Sending): AppEventRecorded {
  events += 1;
  return anInstall({
    appId,
    eventId: exampleUuid("sent", events),
    category: "app_open",
    at: new Date(Date.parse("2026-03-01T10:00:00Z") + minute * 60_000).toISOString(),
    deviceKey: from,
    person: { deviceId: from, ...ids },
  });
}

const columns = ["app_id", "alias", "device_key", "position", "is_shared"];
async function storedAliases() {
  return (await facts.rows("device_aliases", ...columns)).map((row) => columns.map((column) => row[column]));
}
/** The same whether the events come in one batch or one by one. */
async function aliasesAfter(...sent: readonly Sending[]) {
  const apps = [shopRegistered, { ...shopRegistered, data: second }];
  const log = recordedLog([...apps, ...sent.map(sending)], -100n);
  await facts.clear();
  await facts.apply(log);
  const found = await storedAliases();
  await facts.clear();
  for (const event of log) await facts.apply([event]);
  assert.equal(await storedAliases(), found);
  return found;
}

const aliases = suite("aliases of devices");

aliases("are keyed hashes of an identifier's kind and itself", () => {
  const hash = createHmac("sha256", Buffer.alloc(32)).update("partner_device_id\nd-1").digest("hex");
  assert.is(identifierHash(shop.salt, "partner_device_id", "d-1"), hash);
  assert.is(aliasOf(shop.salt, "partner_device_id", "d-1").replaceAll("-", ""), hash.slice(0, 32));
  const others = [
    aliasOf(shop.salt, "service_external_user_id", "d-1"),
    aliasOf(second.salt, "partner_device_id", "d-1"),
    aliasOf(shop.salt, "partner_device_id", "D-1"),
  ];
  assert.is(new Set([aliasOf(shop.salt, "partner_device_id", "d-1"), ...others]).size, 4);
});

const partner = aliasOf(shop.salt, "partner_device_id", "d-1");
const user = aliasOf(shop.salt, "service_external_user_id", "d-1");

aliases("are of the device that sent them last, by event time, then position", async () => {
  const partnerDeviceId = "d-1";
  assert.equal(
    await aliasesAfter({ from: phone, partnerDeviceId, minute: 1 }, { from: tablet, partnerDeviceId, minute: 0 }),
    [[1, partner, phone, 100n, true]],
  );
  assert.equal(await aliasesAfter({ from: phone, partnerDeviceId }, { from: tablet, partnerDeviceId }), [
    [1, partner, tablet, 200n, true],
  ]);
  assert.equal(await aliasesAfter({ from: phone, partnerDeviceId }, { from: phone, partnerDeviceId, minute: -1 }), [
    [1, partner, phone, 100n, false],
  ]);
  assert.equal(
    await aliasesAfter(
      { from: phone, partnerDeviceId, minute: 2 },
      { from: tablet, partnerDeviceId, minute: 0 },
      { from: tablet, partnerDeviceId, minute: 1 },
    ),
    [[1, partner, phone, 100n, true]],
  );
});

aliases("are trimmed, and left out when empty", async () => {
  assert.equal(
    await aliasesAfter(
      { from: phone, partnerDeviceId: "\u0085d-1\u3000" },
      { from: phone, partnerDeviceId: " \u3000", externalUserId: "" },
    ),
    [[1, partner, phone, 100n, false]],
  );
  const [[, marked]] = (await aliasesAfter({ from: phone, partnerDeviceId: "\ufeffd-1" })) as [unknown[]];
  assert.is(marked, aliasOf(shop.salt, "partner_device_id", "\ufeffd-1"));
});

aliases("of different kinds or apps are independent", async () => {
  const rows = await aliasesAfter(
    { from: phone, partnerDeviceId: "d-1" },
    { from: tablet, externalUserId: "d-1" },
    { from: tablet, partnerDeviceId: "d-1", appId: 2 },
  );
  const expected = [
    [1, partner, phone, 100n, false],
    [1, user, tablet, 200n, false],
    [2, aliasOf(second.salt, "partner_device_id", "d-1"), tablet, 300n, false],
  ];
  const byAlias = (one: readonly unknown[], other: readonly unknown[]) =>
    String(one[1]).localeCompare(String(other[1]));
  assert.equal([...rows].sort(byAlias), expected.sort(byAlias));
});

aliases("are none without ids", async () => {
  assert.equal(await aliasesAfter({ from: phone }), []);
});

aliases.after(() => db.destroy());
aliases.run();
