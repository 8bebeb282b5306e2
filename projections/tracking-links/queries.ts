import type { TrackingLinkCreated } from "../../domain/tracking-links/events.ts";
import type { ReadModel } from "../projection.ts";

/** A tracking link as it is now. */
export interface TrackingLinkRow {
  readonly link: TrackingLinkCreated["data"];
  /** Of the link's last event that is in `link`. */
  readonly revision: bigint;
  readonly createdAt: Date;
}

type Columns = TrackingLinkCreated["data"] & { readonly revision: bigint; readonly createdAt: Date };

const columns = `app_id as "appId", link_id as "linkId", revision, short_id as "shortId", template_id as "templateId",
  channel, channel_type as "channelType", campaign_params as "campaignParams", is_reengagement as "isReengagement",
  deeplink_url as "deeplinkUrl", fallback_paths as "fallbackPaths", og_tag as "ogTag", created_at as "createdAt"`;

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

function rowOf({ revision, createdAt, ...link }: Columns): TrackingLinkRow {
  // Link ids have 53 bits: a bigint of the database is always a safe number.
  return { link: { ...link, linkId: Number(link.linkId) }, revision: BigInt(revision), createdAt };
}
