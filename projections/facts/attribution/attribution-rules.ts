import type { AttributionRulesChanged } from "../../../domain/apps/events.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import type { AttributionRules } from "../../../domain/attribution/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { ReadModel } from "../../projection.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { supersedeRows } from "../sql/supersede-rows.ts";
import { type Columns, storableJson, unnest } from "../sql/unnest.ts";

const columns: Columns<RecordedEvent<AttributionRulesChanged>> = {
  app_id: { type: "integer", of: ({ data }) => data.appId },
  from_position: { type: "bigint", of: ({ position }) => position.commit },
  rules: { type: "jsonb", of: ({ data }) => storableJson(data.rules) },
};

/** Stores the rules of apps, each in place of the app's earlier rules (contract/administration.md#attribution-rules). */
export async function storeRules(
  pipeline: StatementPipeline,
  events: readonly RecordedEvent<AttributionRulesChanged>[],
): Promise<void> {
  await supersedeRows(pipeline, "attribution_rules", "app_id", events, columns);
}

/** Rules that an app has set, and the positions of the target events that they apply to. */
export interface StoredRules {
  readonly app_id: number;
  readonly from_position: bigint;
  readonly to_position: bigint;
  readonly rules: AttributionRules;
}

/** All rules that some apps have ever set. */
export function allRulesOf(
  { schema, run }: StatementPipeline,
  appIds: ReadonlySet<number>,
): Promise<readonly StoredRules[]> {
  return run<StoredRules>(
    `select *
     from ${schema}.attribution_rules
     where app_id = any(?::integer[])`,
    [`{${[...appIds].join(",")}}`],
  );
}

interface RequestedRules {
  readonly appId: number;
  readonly position: bigint;
}

const requestedColumns: Columns<RequestedRules> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  position: { type: "bigint", of: ({ position }) => position },
};

/** The rules in force for each requested app and position, in the same order. */
export async function rulesInForce(
  { db, schema }: ReadModel,
  requested: readonly RequestedRules[],
): Promise<readonly AttributionRules[]> {
  if (requested.length === 0) return [];
  const { text, values } = unnest(requested, requestedColumns, "requested", { ordinality: true });
  const { rows }: { rows: readonly { readonly n: number; readonly rules: AttributionRules }[] } = await db.raw(
    `select requested.n::integer, stored.rules
     from ${text}
     join ${schema}.attribution_rules as stored
       on stored.app_id = requested.app_id
       and stored.from_position <= requested.position
       and requested.position < stored.to_position`,
    [...values],
  );
  const found = new Map(rows.map(({ n, rules }) => [n, rules]));
  return requested.map((_, index) => found.get(index + 1) ?? defaultRules);
}
