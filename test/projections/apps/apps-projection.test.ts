import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import { appsProjection } from "../../../projections/apps/projection.ts";
import { registeredApps, storedChannels, tokensOf } from "../../../projections/apps/queries.ts";
import { shop, shopRegistered } from "../../examples/app.ts";
import { recordedLog } from "../../examples/recorded-log.ts";
import { openProjection } from "../one-projection.ts";
import { assertSameRowsForAnySplit } from "../split-property.ts";

const token = {
  kind: "api",
  role: "owner",
  appId: 1,
  channels: [],
  label: null,
  secretHashRest: "0".repeat(32),
} as const;
const billboards = {
  name: "billboards",
  displayName: "Billboards",
  type: "custom",
  selfAttributing: false,
  costIntegrated: false,
} as const;
const history: readonly StoredEvent[] = [
  shopRegistered,
  { type: "TokenIssued", data: { ...token, tokenId: "a" } },
  { type: "TokenIssued", data: { ...token, tokenId: "b", role: "media_partner", channels: ["tiktok", "a,b"] } },
  { type: "ChannelRegistered", data: billboards },
  { type: "TokenRevoked", data: { tokenId: "a", appId: 1 } },
  { type: "ChannelChanged", data: { ...billboards, displayName: "Hoardings" } },
  { type: "AppRegistered", data: { ...shop, name: "cafe", appId: 2 } },
  { type: "ChannelChanged", data: { ...billboards, costIntegrated: true } },
];
const log = recordedLog(history);
const at = new Date("2026-03-31T00:00:00.000Z");

const model = await openProjection(appsProjection);
const apps = suite("apps, tokens and channels");
apps.after(() => model.close());

const { salt: _salt, tokenIds: _tokenIds, ...shown } = shop;
const issued = { kind: "api", label: null, issuedAt: at };

const unset = { allowedOrigins: [], iosAppIds: [], androidCertificates: [] };

apps("follow their events", async () => {
  await model.rebuild(log);
  assert.equal(await registeredApps(model), [
    { ...shown, ...unset, registeredAt: at },
    { ...shown, ...unset, name: "cafe", appId: 2, registeredAt: at },
  ]);
  assert.equal(await tokensOf(model, 1), [
    { ...issued, tokenId: "a", role: "owner", channels: [], revokedAt: at },
    { ...issued, tokenId: "b", role: "media_partner", channels: ["tiktok", "a,b"], revokedAt: null },
  ]);
  assert.equal(await tokensOf(model, 2), []);
  assert.equal(await storedChannels(model), [{ ...billboards, costIntegrated: true }]);
});

apps("are the same in any split into batches, applied twice, and from the middle", async () => {
  await assertSameRowsForAnySplit(model.db, appsProjection, log, 15);
});

apps.run();
