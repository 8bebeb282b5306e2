import type { Label } from "../../../domain/attribution/label-versions.ts";
import { isTargetCategory } from "../../../domain/attribution/target-event.ts";
import type { AppEventFact } from "../app-events/app-events.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { type LabelRow, labelOf } from "../sql/version-rows.ts";

const columns: Columns<AppEventFact> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  device_key: { type: "uuid", of: ({ deviceKey }) => deviceKey },
  at: { type: "timestamptz", of: ({ event }) => event.data.at },
  position: { type: "bigint", of: ({ position }) => position },
};

/**
 * The labels that new app events inherit from stored decisions (contract/attribution.md#target-events): of the device's
 * latest target event before each whose winner holds. A new target event inherits nothing, it waits for its own
 * decision.
 */
export async function inheritedLabels(
  { schema, run }: StatementPipeline,
  facts: readonly AppEventFact[],
): Promise<ReadonlyMap<AppEventFact, Label>> {
  const inheriting = facts.filter(({ category }) => !isTargetCategory(category));
  if (inheriting.length === 0) return new Map();
  const { text, values } = unnest(inheriting, columns, "event", { ordinality: true });
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
