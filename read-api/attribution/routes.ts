import type { AttributionRules } from "../../domain/attribution/events.ts";
import { writeRules } from "../../domain/attribution/rules-format.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import type { Problem } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import type { ShownAttribution, ShownDecision } from "../../projections/reports/attributions/shown-attribution.ts";
import { attributionDocs, attributionRulesDocs } from "./docs.ts";

export interface AttributionReadOptions {
  readonly attributionOf: (
    app: { readonly appId: number; readonly timezone: string },
    eventId: string,
  ) => Promise<ShownAttribution>;
}

const attributionNotFound: Problem = { status: 404, code: "ATTRIBUTION_NOT_FOUND" };
const attributionPending: Problem = { status: 404, code: "ATTRIBUTION_PENDING", retryAfterSeconds: 1 };

/**
 * The attribution of a target event (contract/attribution.md#decisions): the latest decision as recorded, but for what is
 * withheld, and with what arrived after it (winner, rules in force, candidates with verdicts, number of further candidates) with `asOfPosition`, the position of its effect, and
 * `formerDecisions`, the revised ones in the same shape (contract/attribution.md#revisions), latest first. 404
 * `ATTRIBUTION_PENDING` with `Retry-After` for an undecided event, `ATTRIBUTION_NOT_FOUND` for an unknown one.
 */
export function attributionReadRoutes({ attributionOf }: AttributionReadOptions): readonly Route[] {
  return [
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name/attributions/:event_id",
      docs: attributionDocs,
      operation: "administer_app",
      reads: "facts",
      handle: async ({ app, params }) => {
        const eventId = uuidOf(params.event_id ?? "");
        if (eventId === null) return refuse(attributionNotFound);
        const attribution = await attributionOf(app, eventId);
        if (attribution.outcome === "unknown") return refuse(attributionNotFound);
        if (attribution.outcome === "undecided") return refuse(attributionPending);
        const { latest, former } = attribution;
        return ok({ data: { ...decisionResponse(latest), formerDecisions: former.map(decisionResponse) } });
      },
    }),
  ];
}

function decisionResponse({ decision, position }: ShownDecision) {
  return { ...decision, asOfPosition: position.toString() };
}

export interface AttributionRulesReadOptions {
  readonly attributionRulesOf: (appId: number) => Promise<AttributionRules>;
}

/** The complete attribution rules in force (contract/administration.md#attribution-rules), by default the defaults. */
export function attributionRulesReadRoutes({ attributionRulesOf }: AttributionRulesReadOptions): readonly Route[] {
  return [
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name/attribution-rules",
      docs: attributionRulesDocs,
      operation: "administer_app",
      reads: "facts",
      handle: async ({ app }) => {
        return ok({ data: { attributionRules: writeRules(await attributionRulesOf(app.appId)) } });
      },
    }),
  ];
}
