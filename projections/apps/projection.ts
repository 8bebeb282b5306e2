import type { Knex } from "knex";
import type { AppRegistered, AppSettingsChanged } from "../../domain/apps/events.ts";
import type { ChannelEvent } from "../../domain/channels/events.ts";
import { eventsOfType, type RecordedEvent } from "../../domain/event-catalogue.ts";
import { lastOfEach } from "../../domain/items-by-key.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { insertMissingRows, updateRows } from "../write-rows.ts";

const tokenKey = ["app_id", "token_id"];

/** Administered things: apps, tokens, channels (contract/administration.md). */
export const appsProjection = defineProjection({
  name: "apps",
  version: 4,
  group: "control",
  handles: [
    "AppRegistered",
    "AppSettingsChanged",
    "TokenIssued",
    "TokenRevoked",
    "ChannelRegistered",
    "ChannelChanged",
  ],
  parkBy: "stream",
  tables: { apps: ["app_id"], tokens: tokenKey, channels: ["name"] },
  createTables: createAppsTables,
  async apply(trx, schema, batch) {
    await insertMissingRows(trx, schema, "apps", ["app_id"], eventsOfType(batch, "AppRegistered").map(appRow));
    // A change holds all changeable settings of its app.
    const changed = lastOfEach(eventsOfType(batch, "AppSettingsChanged"), ({ data }) => data.appId);
    await updateRows(trx, schema, "apps", { key: ["app_id"], columns: settingColumns }, changed.map(settingsRow));
    // A token is revoked after it was issued, so that each can be applied to the whole batch at once.
    const issued = eventsOfType(batch, "TokenIssued").map(({ data, metadata }) => ({
      app_id: data.appId,
      token_id: data.tokenId,
      kind: data.kind,
      role: data.role,
      channels: data.channels,
      label: data.label,
      issued_at: metadata.occurredAt,
    }));
    await insertMissingRows(trx, schema, "tokens", tokenKey, issued);
    const revoked = eventsOfType(batch, "TokenRevoked").map(({ data, metadata }) => {
      return { app_id: data.appId, token_id: data.tokenId, revoked_at: metadata.occurredAt };
    });
    await updateRows(trx, schema, "tokens", { key: tokenKey, columns: ["revoked_at"] }, revoked);
    await upsertChannels(trx, schema, eventsOfType(batch, "ChannelRegistered", "ChannelChanged"));
  },
});

const settingColumns = [
  ...["company_name", "owner_email", "ios_store_id", "android_package", "ios_store_url", "android_store_url"],
  ...["desktop_url", "redirect_hosts", "allowed_origins", "ios_app_ids", "android_certificates"],
];

function settingsRow({ data }: { readonly data: AppRegistered["data"] | AppSettingsChanged["data"] }) {
  return {
    app_id: data.appId,
    company_name: data.companyName,
    owner_email: data.ownerEmail,
    ios_store_id: data.iosStoreId,
    android_package: data.androidPackage,
    ios_store_url: data.iosStoreUrl,
    android_store_url: data.androidStoreUrl,
    desktop_url: data.desktopUrl,
    redirect_hosts: data.redirectHosts,
    allowed_origins: data.allowedOrigins ?? [],
    ios_app_ids: data.iosAppIds ?? [],
    android_certificates: data.androidCertificates ?? [],
  };
}

function appRow(event: RecordedEvent<AppRegistered>) {
  const { name, timezone, currency } = event.data;
  return { ...settingsRow(event), name, timezone, currency, registered_at: event.metadata.occurredAt };
}

/** Stores the last state of each channel in a batch; an earlier revision never replaces a later one. */
async function upsertChannels(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedEvent<ChannelEvent>[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = lastOfEach(events, ({ data }) => data.name).map(({ data, revision }) => ({
    name: data.name,
    display_name: data.displayName,
    type: data.type,
    self_attributing: data.selfAttributing,
    cost_integrated: data.costIntegrated,
    revision: String(revision),
  }));
  await trx.raw(
    `insert into ${schema}.channels as channel
     select * from jsonb_populate_recordset(null::${schema}.channels, :rows)
     on conflict (name) do update
     set display_name = excluded.display_name, type = excluded.type, self_attributing = excluded.self_attributing,
       cost_integrated = excluded.cost_integrated, revision = excluded.revision
     where channel.revision < excluded.revision`,
    { rows: JSON.stringify(rows) },
  );
}

/** Apps, their tokens without secrets, and channels that were registered or changed. */
async function createAppsTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.apps (
      app_id integer primary key,
      name text not null unique,
      timezone text not null,
      currency text not null,
      company_name text,
      owner_email text not null,
      ios_store_id text,
      android_package text,
      ios_store_url text,
      android_store_url text,
      desktop_url text,
      redirect_hosts text[] not null,
      allowed_origins text[] not null,
      ios_app_ids text[] not null,
      android_certificates text[] not null,
      registered_at timestamptz not null
    );

    create table ${schema}.tokens (
      app_id integer not null,
      token_id text not null,
      kind text not null,
      role text,
      channels text[] not null,
      label text,
      issued_at timestamptz not null,
      revoked_at timestamptz,
      primary key (app_id, token_id)
    );

    create table ${schema}.channels (
      name text primary key,
      display_name text not null,
      type text not null,
      self_attributing boolean not null,
      cost_integrated boolean not null,
      revision bigint not null
    );
  `);
}
