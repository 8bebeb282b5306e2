import type { EventOrderKey } from "../../../domain/attribution/event-order.ts";
import {
  applyLabelChanges,
  type Change,
  type Label,
  takesLabelOf,
} from "../../../domain/attribution/label-versions.ts";
import { isTargetCategory, targetCategories } from "../../../domain/attribution/target-event.ts";
import { itemsByKey } from "../../../domain/items-by-key.ts";
import { type AppEventFact, eventKey, eventKeyColumns } from "../app-events/app-events.ts";
import type { Preceded } from "../app-events/first-events.ts";
import { type LabelRow, labelOf, type StoredAppEvent, storeRevisions } from "../app-events/version-rows.ts";
import type { Day } from "../daily-aggregates/daily-statements.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import type { DeviceAttribution } from "./decisions.ts";

const inheritingColumns: Columns<AppEventFact> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  device_key: { type: "uuid", of: ({ deviceKey }) => deviceKey },
  at: { type: "timestamptz", of: ({ event }) => event.data.at },
  position: { type: "bigint", of: ({ position }) => position },
};

/**
 * The label of an app event is the winner that it is attributed to. New app events inherit it from stored decisions
 * (contract/attribution.md#target-events): from the latest target event of the device before each, in whose attribution
 * window it is. A new target event inherits nothing; it waits for its own decision.
 */
export async function inheritedLabels(
  { schema, run }: StatementPipeline,
  facts: readonly AppEventFact[],
): Promise<ReadonlyMap<AppEventFact, Label>> {
  const inheriting = facts.filter(({ category }) => !isTargetCategory(category));
  if (inheriting.length === 0) return new Map();
  const { text, values } = unnest(inheriting, inheritingColumns, "event", { ordinality: true });
  const rows = await run<LabelRow & { readonly n: number }>(
    `select event.n::integer, decision.*
     from ${text}
     cross join lateral (
       select source_key, touchpoint_id, touchpoint_kind, matched_by,
         at as labelled_at, target_position as labelled_position,
         from_position as labelled_from
       from ${schema}.decisions
       where app_id = event.app_id
         and device_key = event.device_key
         and (at, target_position) < (event.at, event.position)
         and window_ends_at >= event.at
         and touchpoint_id is not null
       order by at desc, target_position desc, from_position desc
       limit 1
     ) as decision`,
    values,
  );
  const labels = new Map<AppEventFact, Label>();
  for (const row of rows) {
    const fact = inheriting[row.n - 1];
    const label = labelOf(row);
    if (fact !== undefined && label !== null) labels.set(fact, label);
  }
  return labels;
}

/** An app event that changes may concern. */
interface AppEvent extends EventOrderKey {
  readonly appId: number;
  readonly eventId: string;
  readonly category: string;
  readonly deviceKey: string;
}

/** Returns a function that gives the changes of an app event by a batch's decisions and earlier first events. */
export function labelChangesBy(
  attributions: readonly DeviceAttribution[],
  preceded: readonly Preceded[],
): (event: AppEvent) => readonly Change[] {
  const byDevice = itemsByKey(attributions, ({ appId, deviceKey }) => eventKey(appId, deviceKey));
  const byEvent = itemsByKey(preceded, ({ appId, eventId }) => eventKey(appId, eventId));
  return (event) => {
    const labels = byDevice.size === 0 ? undefined : byDevice.get(eventKey(event.appId, event.deviceKey));
    const precedences = byEvent.size === 0 ? undefined : byEvent.get(eventKey(event.appId, event.eventId));
    const changes: Change[] = [];
    for (const attribution of labels ?? []) {
      if (takesLabelOf(event, attribution)) changes.push({ kind: "labelled", label: attribution.label });
    }
    for (const { of, from } of precedences ?? []) changes.push({ kind: "preceded", of, from });
    return changes;
  };
}

/** Stores what a batch's decisions and earlier first events change about stored app events; returns their days. */
export async function reviseStored(
  pipeline: StatementPipeline,
  attributions: readonly DeviceAttribution[],
  preceded: readonly Preceded[],
  changesOf: ReturnType<typeof labelChangesBy>,
): Promise<readonly Day[]> {
  const affected = await affectedEvents(pipeline, attributions, preceded);
  await storeRevisions(
    pipeline,
    affected.map((event) => ({ event, versions: applyLabelChanges(event.versions, changesOf(event)) })),
  );
  return affected.map(({ day }) => day);
}

const attributionColumns: Columns<DeviceAttribution> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  device_key: { type: "uuid", of: ({ deviceKey }) => deviceKey },
  event_id: { type: "uuid", of: ({ eventId }) => eventId },
  at: { type: "timestamptz", of: ({ label }) => new Date(label.at).toISOString() },
  position: { type: "bigint", of: ({ label }) => label.position },
  from_position: { type: "bigint", of: ({ label }) => label.from },
  window_ends_at: { type: "timestamptz", of: ({ windowEndsAt }) => new Date(windowEndsAt).toISOString() },
};

interface VersionRow extends LabelRow {
  readonly app_id: number;
  readonly event_id: string;
  readonly category: string;
  readonly device_key: string;
  readonly at: Date;
  readonly local_date: string;
  readonly from_position: bigint;
  readonly to_position: bigint;
  readonly is_first_of_device: boolean;
  readonly is_first_of_user: boolean | null;
}

interface AffectedEvent extends StoredAppEvent {
  readonly day: Day;
}

/**
 * Stored app events that new decisions or earlier first events may change, with all their versions: those of the device
 * in the attribution window whose label is of an earlier target event or decision, and former first events.
 */
async function affectedEvents(
  { schema, run }: StatementPipeline,
  attributions: readonly DeviceAttribution[],
  preceded: readonly Preceded[],
): Promise<readonly AffectedEvent[]> {
  if (attributions.length + preceded.length === 0) return [];
  const decision = unnest(attributions, attributionColumns, "decision");
  const first = unnest(preceded, eventKeyColumns, "first");
  const rows = await run<VersionRow>(
    // The offset makes the planner use one index scan per decision: a merge would sort the whole table.
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
       select app_id, event_id
       from ${first.text}
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
      from: row.from_position,
      to: row.to_position,
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
