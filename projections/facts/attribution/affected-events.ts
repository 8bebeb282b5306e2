import { targetCategories } from "../../../domain/attribution/target-event.ts";
import { eventKey } from "../app-events/app-events.ts";
import type { Preceded } from "../app-events/first-events.ts";
import type { Day } from "../daily-aggregates/changed-days.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { type LabelRow, labelOf, type StoredEvent } from "../sql/version-rows.ts";
import type { DeviceAttribution } from "./decisions.ts";

const attributionColumns: Columns<DeviceAttribution> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  device_key: { type: "uuid", of: ({ deviceKey }) => deviceKey },
  event_id: { type: "uuid", of: ({ eventId }) => eventId },
  at: { type: "timestamptz", of: ({ label }) => new Date(label.at).toISOString() },
  position: { type: "bigint", of: ({ label }) => label.position },
  from_position: { type: "bigint", of: ({ label }) => label.from },
  window_ends_at: { type: "timestamptz", of: ({ windowEndsAt }) => new Date(windowEndsAt).toISOString() },
};

const precededColumns: Columns<Preceded> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  event_id: { type: "uuid", of: ({ eventId }) => eventId },
};

interface VersionRow extends LabelRow {
  readonly app_id: number;
  readonly event_id: string;
  readonly category: string;
  readonly device_key: string;
  readonly at: Date;
  readonly local_date: string;
  readonly from_position: bigint | string;
  readonly to_position: bigint | string;
  readonly is_first_of_device: boolean;
  readonly is_first_of_user: boolean | null;
}

export interface AffectedEvent extends StoredEvent {
  readonly day: Day;
}

/**
 * Stored app events that new decisions or earlier firsts may change, with all their versions: those of the device in
 * the attribution window whose label is that of an earlier target event or decision, and those that were the first.
 */
export async function affectedEvents(
  { schema, run }: StatementPipeline,
  attributions: readonly DeviceAttribution[],
  preceded: readonly Preceded[],
): Promise<readonly AffectedEvent[]> {
  if (attributions.length + preceded.length === 0) return [];
  const decision = unnest(attributions, attributionColumns, "decision");
  const first = unnest(preceded, precededColumns, "first");
  const rows = await run<VersionRow>(
    // The offset keeps it to one look into the index per decision: a merge would sort the whole table.
    `with affected as (
       select event.app_id, event.event_id
       from ${decision.text}
       cross join lateral (
         select app_id, event_id
         from ${schema}.app_events as event
         where event.app_id = decision.app_id
           and event.device_key = decision.device_key
           and event.at between decision.at and decision.window_ends_at
           and event.to_position > decision.from_position
           and (event.labelled_at is null
             or (event.labelled_at, event.labelled_position, event.labelled_from)
               < (decision.at, decision.position, decision.from_position))
           and (event.event_id = decision.event_id or event.category <> all(?::text[]))
         offset 0
       ) as event
       union
       select app_id, event_id from ${first.text}
     )
     select app_id, event_id, category, device_key, at, local_date, from_position, to_position,
       source_key, touchpoint_id, touchpoint_kind, matched_by, labelled_at, labelled_position, labelled_from,
       is_first_of_device, is_first_of_user
     from affected
     join ${schema}.app_events using (app_id, event_id)
     order by app_id, event_id, from_position`,
    [...decision.values, `{${targetCategories.join(",")}}`, ...first.values],
  );
  return eventsOf(rows);
}

function eventsOf(rows: readonly VersionRow[]): readonly AffectedEvent[] {
  const events = new Map<string, AffectedEvent>();
  for (const row of rows) {
    const key = eventKey(row.app_id, row.event_id);
    const version = {
      from: BigInt(row.from_position),
      to: BigInt(row.to_position),
      label: labelOf(row),
      isFirstOfDevice: row.is_first_of_device,
      isFirstOfUser: row.is_first_of_user,
    };
    const known = events.get(key);
    events.set(key, {
      appId: row.app_id,
      eventId: row.event_id,
      category: row.category,
      deviceKey: row.device_key,
      at: row.at.getTime(),
      day: { app_id: row.app_id, local_date: row.local_date },
      position: known?.position ?? version.from,
      versions: [...(known?.versions ?? []), version],
    });
  }
  return [...events.values()];
}
