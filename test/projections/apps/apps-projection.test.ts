import fc from "fast-check";
import type { Knex } from "knex";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedEvent, StoredEvent } from "../../../domain/event-catalogue.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { appsProjection } from "../../../projections/apps/projection.ts";
import { registeredApps, storedChannels, tokensOf } from "../../../projections/apps/queries.ts";
import { shop, shopRegistered } from "../../examples/app.ts";
import { recordedLog } from "../../examples/recorded-log.ts";
import { testPostgres } from "../../support/stores.ts";

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

let db: Knex;
let builds = 0;

const apps = suite("apps, tokens and channels");
apps.before(async () => {
  db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
});
apps.after(() => db.destroy());

async function rowsAfter(batches: readonly (readonly RecordedEvent[])[]): Promise<unknown> {
  builds += 1;
  const schema = `build_${builds}`;
  await db.raw(`create schema ${schema}`);
  await db.transaction((trx) => appsProjection.createTables(trx, schema));
  for (const batch of batches) await db.transaction((trx) => appsProjection.apply(trx, schema, batch));
  const live = { db, schema };
  const rows = [
    await registeredApps(live),
    await tokensOf(live, 1),
    await tokensOf(live, 2),
    await storedChannels(live),
  ];
  await db.raw(`drop schema ${schema} cascade`);
  return rows;
}

const { salt: _salt, tokenIds: _tokenIds, ...shown } = shop;
const expected = [
  [
    { ...shown, registeredAt: at },
    { ...shown, name: "cafe", appId: 2, registeredAt: at },
  ],
  [
    { tokenId: "a", kind: "api", role: "owner", channels: [], label: null, issuedAt: at, revokedAt: at },
    {
      tokenId: "b",
      kind: "api",
      role: "media_partner",
      channels: ["tiktok", "a,b"],
      label: null,
      issuedAt: at,
      revokedAt: null,
    },
  ],
  [],
  [{ ...billboards, costIntegrated: true }],
];

apps("are what their events say", async () => {
  assert.equal(await rowsAfter([log]), expected);
});

apps("are the same when batches are applied twice, and later an old one again", async () => {
  assert.equal(await rowsAfter([log, log]), expected);
  assert.equal(await rowsAfter([log.slice(0, 4), log.slice(0, 4), log.slice(4), log.slice(0, 4)]), expected);
});

apps("are the same however their events are split into batches", async () => {
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: log.length - 1 }));
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const ends = [...places].sort((one, other) => one - other);
      const batches = [...ends, log.length].map((end, index) => log.slice(ends[index - 1] ?? 0, end));
      assert.equal(await rowsAfter(batches), expected);
    }),
    { numRuns: 15 },
  );
});

apps.run();
