import type { EventOrderKey } from "../../../domain/attribution/event-order.ts";
import type { MatchType } from "../../../domain/attribution/events.ts";
import { differOnlyInPositions, type Label, type Version } from "../../../domain/attribution/label-versions.ts";
import type { TouchpointKind } from "../../../domain/touchpoints/events.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";

/** One version of one app event. */
export interface EventVersion {
  readonly appId: number;
  readonly eventId: string;
  readonly version: Version;
}

/** The columns of `app_events` in which versions of one event differ, and the event's own key. */
export const versionColumns: Columns<EventVersion> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  event_id: { type: "uuid", of: ({ eventId }) => eventId },
  from_position: { type: "bigint", of: ({ version }) => version.from },
  to_position: { type: "bigint", of: ({ version }) => version.to },
  source_key: { type: "bigint", of: ({ version }) => version.label?.sourceKey ?? null },
  touchpoint_id: { type: "uuid", of: ({ version }) => version.label?.touchpointId ?? null },
  touchpoint_kind: { type: "text", of: ({ version }) => version.label?.touchpointKind ?? null },
  matched_by: { type: "text", of: ({ version }) => version.label?.matchedBy ?? null },
  labelled_at: {
    type: "timestamptz",
    of: ({ version: { label } }) => (label === null ? null : new Date(label.at).toISOString()),
  },
  labelled_position: { type: "bigint", of: ({ version }) => version.label?.position ?? null },
  labelled_from: { type: "bigint", of: ({ version }) => version.label?.from ?? null },
  is_first_of_device: { type: "boolean", of: ({ version }) => version.isFirstOfDevice },
  is_first_of_user: { type: "boolean", of: ({ version }) => version.isFirstOfUser },
};

/** Columns that {@link labelOf} reads. */
export interface LabelRow {
  readonly source_key: bigint;
  readonly touchpoint_id: string | null;
  readonly touchpoint_kind: TouchpointKind;
  readonly matched_by: MatchType;
  readonly labelled_at: Date;
  readonly labelled_position: bigint;
  readonly labelled_from: bigint;
}

export function labelOf(row: LabelRow): Label | null {
  if (row.touchpoint_id === null) return null;
  return {
    at: row.labelled_at.getTime(),
    position: row.labelled_position,
    from: row.labelled_from,
    sourceKey: row.source_key,
    touchpointId: row.touchpoint_id,
    touchpointKind: row.touchpoint_kind,
    matchedBy: row.matched_by,
  };
}

/** A stored app event with all its versions, oldest position first. */
export interface StoredAppEvent extends EventOrderKey {
  readonly appId: number;
  readonly eventId: string;
  readonly category: string;
  readonly deviceKey: string;
  readonly versions: readonly Version[];
}

/** Stores the revised versions of stored events. New versions copy the columns that all versions share. */
export async function storeRevisions(
  pipeline: StatementPipeline,
  revisions: readonly { readonly event: StoredAppEvent; readonly versions: readonly Version[] }[],
): Promise<void> {
  const updated: EventVersion[] = [];
  const added: EventVersion[] = [];
  const removed: EventVersion[] = [];
  for (const { event, versions } of revisions) {
    const { appId, eventId } = event;
    const stored = new Map(event.versions.map((version) => [version.from, version]));
    for (const version of versions) {
      const before = stored.get(version.from);
      stored.delete(version.from);
      if (before === undefined) added.push({ appId, eventId, version });
      else if (before.to !== version.to || !differOnlyInPositions(before, version))
        updated.push({ appId, eventId, version });
    }
    for (const version of stored.values()) removed.push({ appId, eventId, version });
  }
  // The order keeps the primary key: at most one version of an event is in force at any time.
  if (removed.length > 0) await removeVersions(pipeline, removed);
  if (updated.length > 0) await updateVersions(pipeline, updated);
  if (added.length > 0) await addVersions(pipeline, added);
}

async function removeVersions({ schema, run }: StatementPipeline, versions: readonly EventVersion[]): Promise<void> {
  const { text, values } = unnest(versions, versionColumns, "version");
  await run(
    `delete from ${schema}.app_events as stored
     using ${text}
     where stored.app_id = version.app_id
       and stored.event_id = version.event_id
       and stored.from_position = version.from_position`,
    values,
  );
}

async function updateVersions({ schema, run }: StatementPipeline, versions: readonly EventVersion[]): Promise<void> {
  const { text, values } = unnest(versions, versionColumns, "version");
  const keys = ["app_id", "event_id", "from_position"];
  const assignments = Object.keys(versionColumns)
    .filter((name) => !keys.includes(name))
    .map((name) => `${name} = version.${name}`);
  await run(
    `update ${schema}.app_events as stored
     set ${assignments.join(", ")}
     from ${text}
     where ${keys.map((name) => `stored.${name} = version.${name}`).join(" and ")}`,
    values,
  );
}

async function addVersions({ schema, run }: StatementPipeline, versions: readonly EventVersion[]): Promise<void> {
  const { text, names, values } = unnest(versions, versionColumns, "version");
  const facts = "at, local_date, local_hour, source, category, device_key, user_key, value, currency, client_key";
  await run(
    `insert into ${schema}.app_events (${names}, ${facts})
     select version.*, original.*
     from ${text}
     join lateral (
       select ${facts}
       from ${schema}.app_events as stored
       where stored.app_id = version.app_id
         and stored.event_id = version.event_id
       order by stored.to_position
       limit 1
     ) as original on true`,
    values,
  );
}
