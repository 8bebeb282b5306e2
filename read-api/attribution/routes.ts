import type { AttributionRules } from "../../domain/attribution/events.ts";
import { formatRules } from "../../domain/attribution/rules-format.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import type { Problem } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import type { DeviceDecision } from "../../projections/facts/queries.ts";
import type { ListPage, PageQuery } from "../../projections/list-page.ts";
import type { ShownAttribution, ShownDecision } from "../../projections/reports/attributions/shown-attribution.ts";
import { shownNotification } from "../../projections/reports/attributions/shown-notification.ts";
import type { ChannelMonths } from "../../projections/reports/masking/restricted-touchpoints.ts";
import { listParameters, listReply, pageOf } from "../listing.ts";
import type { RecordRead } from "../record-read.ts";
import { attributionDocs, attributionRulesDocs, deviceAttributionsDocs } from "./docs.ts";

export interface AttributionReadOptions {
  /** Records who reads data about a device, before the response is sent. */
  readonly recordRead: RecordRead;
  /** The key that an app's salt and a device id make (contract/ingest.md#devices). */
  deviceKey(salt: string, deviceId: string): string;
  readonly decisionsOfDevice: (
    app: { readonly appId: number },
    deviceKey: string,
    page: PageQuery,
  ) => Promise<ListPage<DeviceDecision>>;
  /** The data that masking depends on now, for one request. */
  channelMonths(): ChannelMonths;
  readonly attributionOf: (
    app: { readonly appId: number; readonly timezone: string },
    eventId: string,
  ) => Promise<ShownAttribution>;
}

const deviceQuery = {
  type: "object",
  required: ["deviceId"],
  properties: { ...listParameters, deviceId: { type: "string", minLength: 1, maxLength: 128, examples: ["device-1"] } },
} as const;

const attributionNotFound: Problem = { status: 404, code: "ATTRIBUTION_NOT_FOUND" };
const attributionPending: Problem = { status: 404, code: "ATTRIBUTION_PENDING", retryAfterSeconds: 1 };

/**
 * The attribution of a target event (contract/attribution.md#decisions): the latest decision without withheld data
 * (winner, rules in force, candidates with verdicts, number of further candidates), with touchpoints that arrived
 * later, `asOfPosition`, from which it takes effect, and `formerDecisions`, the revised ones in the same shape, latest
 * first (contract/attribution.md#revisions). 404 `ATTRIBUTION_PENDING` with `Retry-After` for an undecided event,
 * `ATTRIBUTION_NOT_FOUND` for an unknown one.
 */
export function attributionReadRoutes(options: AttributionReadOptions): readonly Route[] {
  const { attributionOf } = options;
  return [
    deviceAttributionsRoute(options),
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

/**
 * The attributions of a device (contract/attribution.md#device): the decision in force on each of its target events. The
 * read is recorded in the audit trail, so it fails while the event log is unavailable.
 */
function deviceAttributionsRoute(options: AttributionReadOptions): Route {
  const { recordRead, deviceKey, decisionsOfDevice, channelMonths } = options;
  return appRoute({
    method: "get",
    path: "/admin/v1/apps/:app_name/attributions",
    docs: deviceAttributionsDocs,
    operation: "administer_app",
    query: deviceQuery,
    reads: "facts",
    handle: async (request) => {
      const { app, query, receivedAt } = request;
      const key = deviceKey(app.salt, query.deviceId);
      await recordRead({ appId: app.appId, what: "attributions", deviceKey: key }, request);
      const { rows, totalCount } = await decisionsOfDevice(app, key, pageOf(query));
      const report = { appId: app.appId, timezone: app.timezone, now: new Date(receivedAt) };
      const months = channelMonths();
      const shown = await Promise.all(
        rows.map(async ({ decision: { eventId, category, at, winner }, position, revisions }) => ({
          ...(await shownNotification(months, report, { eventId, category, at, winner })),
          revisions,
          asOfPosition: position.toString(),
        })),
      );
      return listReply("attributions", { rows: shown, totalCount }, (item) => item);
    },
  });
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
        return ok({ data: { attributionRules: formatRules(await attributionRulesOf(app.appId)) } });
      },
    }),
  ];
}
