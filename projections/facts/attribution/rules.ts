import type { AttributionRulesChanged } from "../../../domain/apps/events.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import type { AttributionRules } from "../../../domain/attribution/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { ReadModel } from "../../projection.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { storableJson } from "../sql/storable-json.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { inForce } from "../table.ts";

const columns: Columns<RecordedEvent<AttributionRulesChanged>> = {
  app_id: { type: "integer", of: ({ data }) => data.appId },
  from_position: { type: "bigint", of: ({ position }) => position.commit },
  rules: { type: "jsonb", of: ({ data }) => storableJson(data.rules) },
};

/**
 * Puts rules in force from the positions of their events on, in place of those before them
 * (contract/administration.md#attribution-rules).
 */
export async function storeRules(
  { schema, run }: StatementPipeline,
  events: readonly RecordedEvent<AttributionRulesChanged>[],
): Promise<void> {
  if (events.length === 0) return;
  const { text, names, values } = unnest(events, columns, "said");
  await Promise.all([
    run(
      `insert into ${schema}.attribution_rules (${names}) select ${names} from ${text} on conflict do nothing`,
      values,
    ),
    // Of what is in force or has just been said, each ends where the next begins.
    run(
      `update ${schema}.attribution_rules as stored
       set to_position = next.from_position
       from (
         select app_id, from_position as replaced, lead(from_position) over (partition by app_id order by from_position)
           as from_position
         from ${schema}.attribution_rules
         where to_position = ${inForce} and app_id = any(?::integer[])
       ) as next
       where stored.app_id = next.app_id
         and stored.from_position = next.replaced
         and next.from_position is not null`,
      [`{${events.map(({ data }) => data.appId).join(",")}}`],
    ),
  ]);
}

/** Rules that an app has set, with the positions of target events that they are for. */
export interface StoredRules {
  readonly app_id: number;
  readonly from_position: bigint | string;
  readonly to_position: bigint | string;
  readonly rules: AttributionRules;
}

/** All rules that some apps have ever set. */
export function everyRulesOf(
  { schema, run }: StatementPipeline,
  appIds: ReadonlySet<number>,
): Promise<readonly StoredRules[]> {
  return run<StoredRules>(`select * from ${schema}.attribution_rules where app_id = any(?::integer[])`, [
    `{${[...appIds].join(",")}}`,
  ]);
}

interface AskedRules {
  readonly appId: number;
  readonly position: bigint;
}

const askedColumns: Columns<AskedRules> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  position: { type: "bigint", of: ({ position }) => position },
};

/** The rules in force for an app at a position, for each that is asked, in their order. */
export async function rulesInForce(
  { db, schema }: ReadModel,
  asked: readonly AskedRules[],
): Promise<readonly AttributionRules[]> {
  if (asked.length === 0) return [];
  const { text, values } = unnest(asked, askedColumns, "asked", { ordinality: true });
  const { rows }: { rows: readonly { readonly n: number; readonly rules: AttributionRules }[] } = await db.raw(
    `select asked.n::integer, stored.rules
     from ${text}
     join ${schema}.attribution_rules as stored
       on stored.app_id = asked.app_id
       and stored.from_position <= asked.position
       and asked.position < stored.to_position`,
    [...values],
  );
  const found = new Map(rows.map(({ n, rules }) => [n, rules]));
  return asked.map((_, index) => found.get(index + 1) ?? defaultRules);
}
