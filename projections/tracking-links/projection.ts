import type { Knex } from "knex";
import { eventsOfType, type RecordedEvent, type RecordedOfType } from "../../domain/event-catalogue.ts";
import { lastOfEach } from "../../domain/items-by-key.ts";
import type { TrackingLinkEvent } from "../../domain/tracking-links/events.ts";
import { keepCounts } from "../list-counts.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { insertMissingRows } from "../write-rows.ts";
import { searchText } from "./search-text.ts";

/** Tracking links as they are now, with the texts by which they are found. */
export const trackingLinksProjection = defineProjection({
  name: "tracking_links",
  version: 5,
  group: "control",
  handles: [
    "TrackingLinkCreated",
    "OgTagChanged",
    "RoutingChanged",
    "CampaignParamsChanged",
    "TrackingLinkArchived",
    "TrackingLinkRestored",
  ],
  parkBy: "stream",
  tables: {
    tracking_links: ["app_id", "link_id"],
    tracking_links_counts: ["app_id", "is_archived", "span", "created_at"],
  },
  createTables: createTrackingLinksTables,
  async apply(trx, schema, batch) {
    const created = eventsOfType(batch, "TrackingLinkCreated").map(createdRow);
    await insertMissingRows(trx, schema, "tracking_links", ["app_id", "link_id"], created);
    // Each changes columns of its own.
    await changeLinks(trx, schema, eventsOfType(batch, "OgTagChanged"), ({ data }) => ({ og_tag: data.ogTag }));
    await changeLinks(trx, schema, eventsOfType(batch, "RoutingChanged"), ({ data }) => {
      return { deeplink_url: data.deeplinkUrl, fallback_paths: data.fallbackPaths };
    });
    await changeCampaignParams(trx, schema, eventsOfType(batch, "CampaignParamsChanged"));
    const archivedOrRestored = eventsOfType(batch, "TrackingLinkArchived", "TrackingLinkRestored");
    await changeLinks(trx, schema, archivedOrRestored, ({ type, metadata }) => {
      return { archived_at: type === "TrackingLinkArchived" ? metadata.occurredAt : null };
    });
  },
});

function createdRow({ data, revision, metadata }: RecordedOfType<"TrackingLinkCreated">) {
  return {
    app_id: data.appId,
    link_id: data.linkId,
    revision: String(revision),
    short_id: data.shortId,
    template_id: data.templateId,
    channel: data.channel,
    channel_type: data.channelType,
    campaign_params: data.campaignParams,
    is_reengagement: data.isReengagement,
    deeplink_url: data.deeplinkUrl,
    fallback_paths: data.fallbackPaths,
    og_tag: data.ogTag,
    created_at: metadata.occurredAt,
    archived_at: null,
    search_text: searchText(data),
  };
}

/** Changes columns of links; the last change of each link counts. */
async function changeLinks<Event extends RecordedEvent<TrackingLinkEvent>>(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly Event[],
  valuesOf: (event: Event) => { readonly [column: string]: unknown },
): Promise<void> {
  const [first] = events;
  if (first === undefined) return;
  const rows = lastOfEach(events, ({ data }) => data.linkId).map((event) => {
    return { link_id: event.data.linkId, revision: String(event.revision), ...valuesOf(event) };
  });
  const changed = Object.keys(valuesOf(first)).map((column) => `${column} = changed.${column}`);
  await trx.raw(
    `update ${schema}.tracking_links as link
     set ${changed.join(", ")}, revision = greatest(link.revision, changed.revision)
     from jsonb_populate_recordset(null::${schema}.tracking_links, :rows) as changed
     where link.link_id = changed.link_id`,
    { rows: JSON.stringify(rows) },
  );
}

/** Changes the campaign parameters of links, by which keywords find them. */
async function changeCampaignParams(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"CampaignParamsChanged">[],
): Promise<void> {
  if (events.length === 0) return;
  const { rows } = await trx.raw<{ rows: { linkId: bigint; shortId: string; channel: string }[] }>(
    `select link_id as "linkId", short_id as "shortId", channel from ${schema}.tracking_links
     where link_id = any(:linkIds::bigint[])`,
    { linkIds: [...new Set(events.map(({ data }) => data.linkId))] },
  );
  const links = new Map(rows.map((link) => [Number(link.linkId), link]));
  await changeLinks(trx, schema, events, ({ data: { linkId, campaignParams } }) => {
    const link = links.get(linkId);
    // A link that does not exist has no row to change.
    return {
      campaign_params: campaignParams,
      search_text: link === undefined ? "" : searchText({ ...link, campaignParams }),
    };
  });
}

/**
 * One row per tracking link, in its current state. `revision`: that of the link's last event in the row. `search_text`:
 * the text that keywords are searched in.
 */
async function createTrackingLinksTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.tracking_links (
      app_id integer not null,
      link_id bigint not null,
      revision bigint not null,
      short_id text not null,
      template_id text not null,
      channel text not null,
      channel_type text not null,
      campaign_params jsonb not null,
      is_reengagement text not null,
      deeplink_url text,
      fallback_paths jsonb not null,
      og_tag jsonb not null,
      created_at timestamptz not null,
      archived_at timestamptz,
      search_text text not null,
      primary key (app_id, link_id)
    );
    -- The link handler looks a link up without its app while the event log is unavailable.
    create index on ${schema}.tracking_links (link_id);
    create index on ${schema}.tracking_links (app_id, created_at, link_id);
    create index on ${schema}.tracking_links (app_id, channel, created_at, link_id);
  `);
  const columns = { app_id: "app_id", is_archived: "archived_at is not null" };
  await keepCounts(trx, schema, "tracking_links", { columns, instant: "created_at" });
  await indexKeywords(trx, schema);
}

/**
 * A trigram index finds a keyword without reading every link. If the extension pg_trgm cannot be created, keywords are
 * found without it, in time that grows with the links of the app.
 */
async function indexKeywords(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    do $$ begin
      create extension if not exists pg_trgm;
    exception when insufficient_privilege or feature_not_supported or undefined_file or unique_violation then null;
    end $$
  `);
  const { rows } = await trx.raw<{ rows: readonly { readonly home: string }[] }>(
    "select extnamespace::regnamespace::text as home from pg_extension where extname = 'pg_trgm'",
  );
  const home = rows[0]?.home;
  if (home === undefined) return;
  await trx.raw(`create index on ${schema}.tracking_links using gin (search_text ${home}.gin_trgm_ops)`);
}
