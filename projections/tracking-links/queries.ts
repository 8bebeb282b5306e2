import type { TrackingLinkCreated } from "../../domain/tracking-links/events.ts";
import { countedRows, periodConditions } from "../list-counts.ts";
import type { ReadModel, SchemaName } from "../projection.ts";
import { keywordPattern } from "./search-text.ts";

/** A tracking link as it is now. */
export interface TrackingLinkRow {
  readonly link: TrackingLinkCreated["data"];
  /** Of the link's last event that is in `link`. */
  readonly revision: bigint;
  readonly createdAt: Date;
  /** Null: not archived. */
  readonly archivedAt: Date | null;
}

type Columns = TrackingLinkCreated["data"] & Omit<TrackingLinkRow, "link">;

const columns = `app_id as "appId", link_id as "linkId", revision, short_id as "shortId", template_id as "templateId",
  channel, channel_type as "channelType", campaign_params as "campaignParams", is_reengagement as "isReengagement",
  deeplink_url as "deeplinkUrl", fallback_paths as "fallbackPaths", og_tag as "ogTag", created_at as "createdAt",
  archived_at as "archivedAt"`;

/** A link of an app; null when the app has none of that id. */
export async function trackingLinkOf(
  { db, schema }: ReadModel,
  appId: number,
  linkId: number,
): Promise<TrackingLinkRow | null> {
  const { rows } = await db.raw<{ rows: Columns[] }>(
    `select ${columns} from ${schema}.tracking_links where app_id = :appId and link_id = :linkId`,
    { appId, linkId },
  );
  return rows[0] === undefined ? null : rowOf(rows[0]);
}

/** A link of whatever app; null when there is none of that id. */
export async function trackingLinkById({ db, schema }: ReadModel, linkId: number): Promise<TrackingLinkRow | null> {
  const { rows } = await db.raw<{ rows: Columns[] }>(
    `select ${columns} from ${schema}.tracking_links where link_id = :linkId`,
    { linkId },
  );
  return rows[0] === undefined ? null : rowOf(rows[0]);
}

/** The links of a list: active ones, archived ones, or both. */
export const linkStatuses = ["active", "archived", "all"] as const;

export interface LinkSearch {
  readonly appId: number;
  /** Both at a quarter of an hour, as the days of every time zone begin. */
  readonly createdFrom: Date;
  readonly createdBefore: Date;
  /** In short id, channel or a campaign parameter, whatever its case; null: any. */
  readonly keyword: string | null;
  /** Null: any. */
  readonly channel: string | null;
  readonly status: (typeof linkStatuses)[number];
  readonly direction: "ASC" | "DESC";
  readonly skip: number;
  readonly size: number;
}

export interface FoundLinks {
  /** Number of all matching links. */
  readonly totalCount: number;
  /** Ids of the page, in its order. */
  readonly linkIds: readonly number[];
}

/**
 * A page of an app's links by creation, then id, both in the requested direction (contract/tracking-links.md#listing);
 * their ids alone.
 */
export async function searchTrackingLinks({ db, schema }: ReadModel, search: LinkSearch): Promise<FoundLinks> {
  const { keyword, direction, status: _status, ...values } = search;
  const order = `created_at ${direction}, link_id ${direction}`;
  const { rows } = await db.raw<{ rows: readonly { readonly total: bigint; readonly link_id: bigint | null }[] }>(
    `with ${pageAndCount(schema, search, order)}
     select counted.total, page.link_id from counted left join page on true order by ${order}`,
    { ...values, pattern: keywordPattern(keyword ?? "") },
  );
  const linkIds = rows.flatMap(({ link_id: linkId }) => (linkId === null ? [] : [Number(linkId)]));
  return { totalCount: Number(rows[0]?.total ?? 0), linkIds };
}

/** Links of an app, in the order of their ids; those that the app does not have are left out. */
export async function trackingLinksOf(
  { db, schema }: ReadModel,
  appId: number,
  linkIds: readonly number[],
): Promise<readonly TrackingLinkRow[]> {
  const { rows } = await db.raw<{ rows: readonly Columns[] }>(
    `select ${columns} from ${schema}.tracking_links
     join unnest(:linkIds::bigint[]) with ordinality as requested(link_id, place) using (link_id)
     where app_id = :appId order by place`,
    { appId, linkIds: `{${linkIds}}` },
  );
  return rows.map(rowOf);
}

/** Those of `names` that are the channel of a link of an app, archived ones included. */
export async function channelsOfLinks(
  { db, schema }: ReadModel,
  appId: number,
  names: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: readonly { readonly name: string }[] }>(
    `select name from unnest(:names::text[]) with ordinality as named(name, place)
     where exists (select from ${schema}.tracking_links where app_id = :appId and channel = name) order by place`,
    { appId, names: [...names] },
  );
  return rows.map(({ name }) => name);
}

/**
 * The common table expressions `page` and `counted`. Counting 100,000 links takes 20 ms, so the projection's counts are
 * read; only links that match a keyword or channel are counted, and searched once.
 */
function pageAndCount(schema: SchemaName, search: LinkSearch, order: string): string {
  const { keyword, channel, status, createdFrom: from, createdBefore: before } = search;
  const created = { instant: "created_at", period: { from, before } };
  const narrowing = [
    ...(keyword === null ? [] : ["search_text like :pattern"]),
    ...(channel === null ? [] : ["channel = :channel"]),
  ];
  const conditions = ["app_id = :appId", ...periodConditions(created), ...narrowing, ...ofStatus[status].links];
  const links = `${schema}.tracking_links where ${conditions.join(" and ")}`;
  const pageOf = (found: string): string =>
    `select link_id, created_at from ${found} order by ${order} offset :skip limit :size`;
  if (narrowing.length === 0) {
    const total = countedRows(schema, "tracking_links", ["app_id = :appId", ...ofStatus[status].counts], created);
    return `page as materialized (${pageOf(links)}), counted (total) as materialized (${total})`;
  }
  return `matching as materialized (select link_id, created_at from ${links}),
    page as materialized (${pageOf("matching")}),
    counted as materialized (select count(*) as total from matching)`;
}

/** SQL conditions on links of a status, and on their counts. */
const ofStatus = {
  active: { links: ["archived_at is null"], counts: ["not is_archived"] },
  archived: { links: ["archived_at is not null"], counts: ["is_archived"] },
  all: { links: [], counts: [] },
} as const satisfies { readonly [status in LinkSearch["status"]]: object };

function rowOf({ revision, createdAt, archivedAt, ...link }: Columns): TrackingLinkRow {
  // Link ids have 53 bits: a bigint of the database is always a safe number.
  return { link: { ...link, linkId: Number(link.linkId) }, revision: BigInt(revision), createdAt, archivedAt };
}
