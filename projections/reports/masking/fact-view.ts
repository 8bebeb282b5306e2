import type { MaskedRange } from "../../../domain/reporting/masking.ts";
import type { SchemaName } from "../../projection.ts";
import type { FactKind } from "../facts/fact-kinds.ts";

/*
 * Facts as reports, explanations, attributions and exports see them. Only the views of this folder name the tables of facts
 * about users, so that what is masked is so before anything is chosen, grouped or counted (contract/reports.md#masking).
 */

/** The table of each kind of facts. */
const factTables: { readonly [kind in FactKind]: string } = {
  touchpoints: "touchpoints",
  appEvents: "app_events",
  spend: "spend",
  uploadedMetrics: "uploaded_metrics",
};

/** What views depend on in a statement, which has `masked` (`maskedTables`) where some facts are. */
export interface ViewContext {
  readonly schema: SchemaName;
  readonly masked: readonly MaskedRange[];
}

/** Whether some facts of a kind are masked: uploaded rows are not about users, they stay (contract/reports.md#masking). */
export function hasMaskedFacts(kind: FactKind, { masked }: Pick<ViewContext, "masked">): boolean {
  return masked.length > 0 && (kind === "touchpoints" || kind === "appEvents");
}

/** The table of a kind of facts, for the views of this folder. */
export function factTable(kind: FactKind, { schema }: Pick<ViewContext, "schema">): string {
  return `${schema}.${factTables[kind]}`;
}

/** The facts of a kind, for a `from`: `fact`, joined with why it is masked (`masked`) where some are. */
export function factView(kind: FactKind, context: ViewContext): string {
  return viewOf(kind, factTable(kind, context), context);
}

/** The facts of {@link factView} that are left, for a `from` and its `where`. */
export function leftFacts(kind: FactKind, context: ViewContext, conditions: string): string {
  return `${factView(kind, context)} where ${conditions}${hasMaskedFacts(kind, context) ? ` and ${isUnmasked}` : ""}`;
}

/**
 * {@link factView} of rows that stand for facts of a kind.
 * @param rows with `maskedJoinColumns`
 */
export function viewOf(kind: FactKind, rows: string, context: ViewContext): string {
  return `${rows} as fact ${hasMaskedFacts(kind, context) ? maskedJoin : ""}`;
}

const isInMaskedRange = (fact: string): string => `masked.source_key = ${fact}.source_key
    and ${fact}.local_date between masked.first_date and masked.last_date`;

/** At most one row of what is masked for each fact. */
const maskedJoin = `left join masked on ${isInMaskedRange("fact")}`;

/** The columns of a fact that the join reads. */
export const maskedJoinColumns = ["source_key", "local_date"];

/** Whether a fact of a view is left out, and whether it is left. */
export const isMaskedFact = "masked.source_key is not null";
export const isUnmasked = "masked.source_key is null";

/** Why a fact of a view is left out, as bits (`reasonsOf`); null: it is left. */
export function maskedBecause(kind: FactKind, context: Pick<ViewContext, "masked">): string {
  return hasMaskedFacts(kind, context) ? "masked.because" : "null::integer";
}

/** The reasons of the losses among facts that meet a condition, as bits; null when nothing was lost. */
export function maskingReasonsWhere(condition: string): string {
  return `bit_or(masked.because) filter (where ${condition})`;
}

/**
 * The touchpoint that an app event is attributed to, for a `left join`: `touch`. An event reveals nothing of a touchpoint
 * that is masked on its own date; ranges from {@link longestAttributionDays} before the events must be in `masked`.
 * @param event an alias of rows with `app_id`, and its column of the touchpoint's id
 */
export function touchpointView(context: ViewContext, event: string, id: string): string {
  const isShown = `not exists (select from masked where ${isInMaskedRange("touch")})`;
  return `${factTable("touchpoints", context)} as touch
    on touch.app_id = ${event}.app_id and touch.touchpoint_id = ${event}.${id}
      ${hasMaskedFacts("touchpoints", context) ? `and ${isShown}` : ""}`;
}

/**
 * The position of an app event in the log, where its first version begins. It does not depend on whose touchpoint won it.
 * @param event an alias of rows with `app_id`, and its column of the event's id
 */
export function positionOfEvent(context: ViewContext, event: string, id: string): string {
  return `select min(version.from_position) from ${factTable("appEvents", context)} as version
    where version.app_id = ${event}.app_id and version.event_id = ${event}.${id}`;
}
