import type { AuditSubject } from "../../domain/audit/audited-events.ts";
import type { Actor } from "../../domain/event.ts";
import { type ListPage, listPage, type PageQuery, type SizedPosition } from "../list-page.ts";
import type { ReadModel } from "../projection.ts";

export interface AuditRow {
  readonly position: bigint;
  /** Null: of the whole instance. */
  readonly appId: number | null;
  readonly type: string;
  readonly subject: AuditSubject;
  /** When it was done. */
  readonly at: Date;
  readonly actor: Actor;
  readonly requestId: string;
  readonly data: { readonly [field: string]: unknown };
}

/** Which rows of an app's trail; null: any. */
export interface AuditQuery {
  readonly appId: number;
  /** Exclusive. */
  readonly after: bigint;
  /** A token's id, a reactor's name, or a kind of actor. */
  readonly actor: string | null;
  readonly type: string | null;
  /** The id of what was changed or read. */
  readonly subject: string | null;
  readonly max: number;
}

const columns = `position, app_id as "appId", type, json_build_object('kind', subject_kind, 'id', subject_id) as subject, at,
  actor, request_id as "requestId", data`;

/** Where the events about an app and about the whole instance are, oldest first (contract/administration.md#audit-trail). */
export async function listAudit({ db, schema }: ReadModel, query: AuditQuery): Promise<readonly SizedPosition[]> {
  const { rows } = await db.raw<{ rows: SizedPosition[] }>(
    `select position, octet_length(data::text) as bytes
     from ${schema}.audit
     where (app_id = :appId or app_id is null) and position > :after
       and (:actor::text is null or :actor in (actor ->> 'kind', actor ->> 'tokenId', actor ->> 'name'))
       and (:type::text is null or type = :type)
       and (:subject::text is null or subject_id = :subject)
     order by position
     limit :max`,
    { ...query, after: query.after.toString() },
  );
  return rows;
}

/** The events at positions, oldest first. */
export async function auditAt({ db, schema }: ReadModel, positions: readonly bigint[]): Promise<readonly AuditRow[]> {
  const { rows } = await db.raw<{ rows: AuditRow[] }>(
    `select ${columns}
     from ${schema}.audit
     where position = any(:positions::bigint[])
     order by position`,
    { positions: positions.map(String) },
  );
  return rows;
}

/**
 * The first `max` events about an id of any app, or by the request of that id, with those that followed from them,
 * oldest first.
 */
export async function auditTrace({ db, schema }: ReadModel, id: string, max: number): Promise<readonly AuditRow[]> {
  const { rows } = await db.raw<{ rows: AuditRow[] }>(
    `select ${columns}
     from ${schema}.audit
     where subject_id = :id or request_id = :id or correlation_id = :id
     order by position
     limit :max`,
    { id, max },
  );
  return rows;
}

export interface LinkHistoryQuery extends PageQuery {
  readonly appId: number;
  readonly linkId: number;
}

/** A change of a link. */
export interface LinkChangeRow extends Pick<AuditRow, "position" | "type" | "at" | "actor" | "requestId" | "data"> {
  /** Data of the previous event of that type, or of the link's creation, which this event changes; null: none. */
  readonly earlier: AuditRow["data"] | null;
}

/** The changes of a link of an app, including its creation, newest first (contract/tracking-links.md#history). */
export function linkHistory(
  readModel: ReadModel,
  { appId, linkId, ...page }: LinkHistoryQuery,
): Promise<ListPage<LinkChangeRow>> {
  const isOfLink = "app_id = :appId and subject_kind = 'tracking_link' and subject_id = :linkId";
  const earlier = `select earlier.data from ${readModel.schema}.audit as earlier
    where ${isOfLink} and earlier.position < listed.position
      and earlier.type in (listed.type, 'TrackingLinkCreated')
    order by earlier.position desc limit 1`;
  const listed = {
    table: "audit",
    columns: `position, type, at, actor, request_id as "requestId", data, (${earlier}) as earlier`,
    conditions: [isOfLink],
    hasCounts: false,
    values: { appId, linkId: String(linkId) },
  };
  return listPage(readModel, listed, page);
}
