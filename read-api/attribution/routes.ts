import type { Problem } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import type { StoredAttribution, StoredDecision } from "../../projections/facts/queries.ts";

export interface AttributionReadOptions {
  readonly attributionOf: (appId: number, eventId: string) => Promise<StoredAttribution>;
}

const attributionNotFound: Problem = { status: 404, code: "ATTRIBUTION_NOT_FOUND" };
const attributionPending: Problem = { status: 404, code: "ATTRIBUTION_PENDING", retryAfterSeconds: 1 };

/**
 * How a target event was attributed (contract/attribution.md#decisions): `data` is the latest decision as it was
 * recorded (winner, rules in force, every candidate listed with its verdict, the others counted) with `asOfPosition`,
 * where it takes effect, and `formerDecisions`, those that it has revised (contract/attribution.md#revisions), the
 * latest of them first, in the same shape. An event that waits for its decision is 404 `ATTRIBUTION_PENDING` with
 * `Retry-After`; an unknown one `ATTRIBUTION_NOT_FOUND`.
 */
export function attributionReadRoutes({ attributionOf }: AttributionReadOptions): readonly Route[] {
  return [
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name/attributions/:event_id",
      operation: "administer_app",
      reads: "facts",
      handle: async ({ app, params }) => {
        const eventId = params.event_id?.toLowerCase() ?? "";
        if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(eventId)) return refuse(attributionNotFound);
        const attribution = await attributionOf(app.appId, eventId);
        if (attribution.outcome === "unknown") return refuse(attributionNotFound);
        if (attribution.outcome === "undecided") return refuse(attributionPending);
        const { latest, former } = attribution;
        return ok({ data: { ...answered(latest), formerDecisions: former.map(answered) } });
      },
    }),
  ];
}

function answered({ decision, position }: StoredDecision) {
  return { ...decision, asOfPosition: position.toString() };
}
