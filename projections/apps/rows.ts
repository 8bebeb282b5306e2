import type { Knex } from "knex";
import type { AppRegistered, AppSettingsChanged } from "../../domain/apps/events.ts";
import type { ChannelEvent } from "../../domain/channels/events.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { TokenIssued, TokenRevoked } from "../../domain/tokens/events.ts";
import type { SchemaName } from "../projection.ts";

export async function insertApps(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedEvent<AppRegistered>[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data, metadata }) => ({
    app_id: data.appId,
    name: data.name,
    timezone: data.timezone,
    currency: data.currency,
    company_name: data.companyName,
    owner_email: data.ownerEmail,
    ios_store_id: data.iosStoreId,
    android_package: data.androidPackage,
    ios_store_url: data.iosStoreUrl,
    android_store_url: data.androidStoreUrl,
    desktop_url: data.desktopUrl,
    redirect_hosts: data.redirectHosts,
    registered_at: metadata.occurredAt,
  }));
  await trx.raw(
    `insert into ${schema}.apps
     select * from jsonb_populate_recordset(null::${schema}.apps, :rows)
     on conflict (app_id) do nothing`,
    { rows: JSON.stringify(rows) },
  );
}

/** The last change of a batch holds all changeable settings of its app. */
export async function changeApps(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedEvent<AppSettingsChanged>[],
): Promise<void> {
  if (events.length === 0) return;
  const last = new Map(events.map(({ data }) => [data.appId, data]));
  const rows = [...last.values()].map((data) => ({
    app_id: data.appId,
    company_name: data.companyName,
    owner_email: data.ownerEmail,
    ios_store_id: data.iosStoreId,
    android_package: data.androidPackage,
    ios_store_url: data.iosStoreUrl,
    android_store_url: data.androidStoreUrl,
    desktop_url: data.desktopUrl,
    redirect_hosts: data.redirectHosts,
  }));
  await trx.raw(
    `update ${schema}.apps app
     set company_name = changed.company_name, owner_email = changed.owner_email, ios_store_id = changed.ios_store_id,
       android_package = changed.android_package, ios_store_url = changed.ios_store_url,
       android_store_url = changed.android_store_url, desktop_url = changed.desktop_url,
       redirect_hosts = changed.redirect_hosts
     from jsonb_populate_recordset(null::${schema}.apps, :rows) as changed
     where app.app_id = changed.app_id`,
    { rows: JSON.stringify(rows) },
  );
}

export async function insertTokens(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedEvent<TokenIssued>[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data, metadata }) => ({
    app_id: data.appId,
    token_id: data.tokenId,
    kind: data.kind,
    role: data.role,
    channels: data.channels,
    label: data.label,
    issued_at: metadata.occurredAt,
  }));
  await trx.raw(
    `insert into ${schema}.tokens
     select * from jsonb_populate_recordset(null::${schema}.tokens, :rows)
     on conflict (app_id, token_id) do nothing`,
    { rows: JSON.stringify(rows) },
  );
}

export async function revokeTokens(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedEvent<TokenRevoked>[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data, metadata }) => ({
    app_id: data.appId,
    token_id: data.tokenId,
    revoked_at: metadata.occurredAt,
  }));
  await trx.raw(
    `update ${schema}.tokens token
     set revoked_at = revoked.revoked_at
     from jsonb_to_recordset(:rows) as revoked (app_id integer, token_id text, revoked_at timestamptz)
     where token.app_id = revoked.app_id and token.token_id = revoked.token_id`,
    { rows: JSON.stringify(rows) },
  );
}

/** The last of a batch is what a channel is; an earlier revision never undoes a later one. */
export async function upsertChannels(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedEvent<ChannelEvent>[],
): Promise<void> {
  if (events.length === 0) return;
  const last = new Map(events.map((event) => [event.data.name, event]));
  const rows = [...last.values()].map(({ data, revision }) => ({
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
