import type { MaskedRange } from "../../../domain/reporting/masking.ts";
import type { SchemaName } from "../../projection.ts";
import type { FactKind } from "../facts/fact-kinds.ts";

/*
 * Facts as reports, explanations, attributions and exports see them. Only the views of this folder read the tables of
 * facts about users, so that facts are masked before any are chosen, grouped or counted (contract/reports.md#masking).
 */

/** The table of each kind of facts. */
const factTables: { readonly [kind in FactKind]: string } = {
  touchpoints: "touchpoints",
  appEvents: "app_events",
  spend: "spend",
  uploadedMetrics: "uploaded_metrics",
};

/** The input of views. The statement has `masked` (`maskedTables`) if some facts are masked. */
export interface ViewContext {
  readonly schema: SchemaName;
  readonly masked: readonly MaskedRange[];
}

/** Whether some facts of a kind are masked: uploaded rows, which are not about users, never are. */
export function hasMaskedFacts(kind: FactKind, { masked }: Pick<ViewContext, "masked">): boolean {
  return masked.length > 0 && (kind === "touchpoints" || kind === "appEvents");
}

/** The table of a kind of facts, for the views of this folder. */
export function factTable(kind: FactKind, { schema }: Pick<ViewContext, "schema">): string {
  return `${schema}.${factTables[kind]}`;
}

/** The facts of a kind, for a `from`: `fact`, left-joined with `masked` if some are masked. */
export function factView(kind: FactKind, context: ViewContext): string {
  return viewOf(kind, factTable(kind, context), context);
}

/** The unmasked facts of {@link factView}, for a `from` and its `where`. */
export function unmaskedFacts(kind: FactKind, context: ViewContext, conditions: string): string {
  return `${factView(kind, context)} where ${conditions}${hasMaskedFacts(kind, context) ? ` and ${isUnmasked}` : ""}`;
}

/**
 * {@link factView} of rows that represent facts of a kind.
 * @param rows with `maskedJoinColumns`
 */
export function viewOf(kind: FactKind, rows: string, context: ViewContext): string {
  return `${rows} as fact ${hasMaskedFacts(kind, context) ? maskedJoin : ""}`;
}

const isInMaskedRange = (fact: string): string => `masked.source_key = ${fact}.source_key
    and ${fact}.local_date between masked.first_date and masked.last_date`;

/** Joins each fact with at most one row. */
const maskedJoin = `left join masked on ${isInMaskedRange("fact")}`;

/** The columns of a fact that the join reads. */
export const maskedJoinColumns = ["source_key", "local_date"];

/** SQL of whether a fact of a view is masked, and whether it is not. */
export const isMaskedFact = "masked.source_key is not null";
export const isUnmasked = "masked.source_key is null";

/** SQL of why a fact of a view is masked, as bits (`reasonsOf`); null: it is not. */
export function maskingReasonsOf(kind: FactKind, context: Pick<ViewContext, "masked">): string {
  return hasMaskedFacts(kind, context) ? "masked.masking_reasons" : "null::integer";
}

/** SQL of why facts that meet a condition are masked, as bits; null when none is. */
export function maskingReasonsWhere(condition: string): string {
  return `bit_or(masked.masking_reasons) filter (where ${condition})`;
}

/**
 * The touchpoint that an app event is attributed to, for a `left join`: `touch`. A touchpoint that is masked on its own
 * date is not joined; ranges from {@link longestAttributionDays} before the events must be in `masked`.
 * @param event an alias of rows with `app_id`, and its column of the touchpoint's id
 */
export function touchpointView(context: ViewContext, event: string, id: string): string {
  const isShown = `not exists (select from masked where ${isInMaskedRange("touch")})`;
  return `${factTable("touchpoints", context)} as touch
    on touch.app_id = ${event}.app_id and touch.touchpoint_id = ${event}.${id}
      ${hasMaskedFacts("touchpoints", context) ? `and ${isShown}` : ""}`;
}

/**
 * SQL of the position of an app event in the log, where its first version begins. It does not depend on the
 * attribution.
 * @param event an alias of rows with `app_id`, and its column of the event's id
 */
export function positionOfEvent(context: ViewContext, event: string, id: string): string {
  return `select min(version.from_position) from ${factTable("appEvents", context)} as version
    where version.app_id = ${event}.app_id and version.event_id = ${event}.${id}`;
}
