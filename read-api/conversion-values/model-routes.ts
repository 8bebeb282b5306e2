import type { CoarseValue } from "../../domain/conversion-values/events.ts";
import { decodeValue, shownModel, shownValue } from "../../domain/conversion-values/meanings.ts";
import type { Problem } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import type { TokenRow } from "../../projections/apps/queries.ts";
import type { ModelVersion, PartnerMapping, Published } from "../../projections/conversion-values/queries.ts";
import { actorResponse, labelsOf, type TokenLabels } from "../actor-response.ts";
import { asOfParameter, asOfProblem, type PositionAsOf } from "../as-of.ts";
import { conversionModelDocs, decodeValueDocs } from "./docs.ts";

export interface ConversionModelQueries {
  conversionModelAt(appId: number, position: bigint): Promise<ModelVersion | null>;
  partnerEventsAt(appId: number, position: bigint): Promise<readonly PartnerMapping[]>;
  tokensOf(appId: number): Promise<readonly TokenRow[]>;
  /** By the read models of group `control`. */
  positionAsOf: PositionAsOf;
}

const modelQuery = { type: "object", properties: { asOf: asOfParameter } } as const;

const decodeQuery = {
  type: "object",
  required: ["value"],
  properties: {
    value: { type: "string", format: "conversion-value" },
    postback: { type: "integer", minimum: 0, maximum: 2 },
    at: asOfParameter,
  },
} as const;

/** @param asOf null: now */
function noModel(asOf: string | null): Problem {
  return { status: 404, code: asOf === null ? "CONVERSION_MODEL_NOT_FOUND" : "CONVERSION_MODEL_NOT_FOUND.then" };
}

/**
 * The conversion model of an app at a position or an instant (default: now) with its publisher and start, and the
 * meaning of a single value (contract/conversion-values.md#versions). 404 before the first model.
 */
export function conversionModelReadRoutes(queries: ConversionModelQueries): readonly Route[] {
  const { conversionModelAt, partnerEventsAt, tokensOf, positionAsOf } = queries;

  const modelThen = async (appId: number, asOf: string | null, parameter: "asOf" | "at") => {
    const then = await positionAsOf(asOf);
    if (then.outcome !== "at") return asOfProblem(then, parameter);
    const { position } = then;
    const version = await conversionModelAt(appId, position);
    if (version === null) return noModel(asOf);
    const partners = await partnerEventsAt(appId, position);
    return { position, version, partners, labels: labelsOf(await tokensOf(appId)) };
  };

  return [
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name/conversion-values",
      docs: conversionModelDocs,
      operation: "administer_app",
      query: modelQuery,
      reads: "control",
      handle: async ({ app, query }) => {
        const then = await modelThen(app.appId, query.asOf ?? null, "asOf");
        if ("status" in then) return refuse(then);
        const { position, version, partners, labels } = then;
        const shownPartners = partners.map((mapping) => {
          const { since, by } = publicationOf(mapping, labels);
          return { channel: mapping.channel, events: mapping.events, since, mappedBy: by };
        });
        const conversionValues = {
          ...versionResponse(version, labels),
          ...shownModel(version.model),
          partners: shownPartners,
        };
        return ok({ data: { conversionValues, asOfPosition: position.toString() } });
      },
    }),
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name/conversion-values/decode",
      docs: decodeValueDocs,
      operation: "administer_app",
      query: decodeQuery,
      reads: "control",
      handle: async ({ app, query }) => {
        const { postback = 0, at = null } = query;
        const value = /^\d/.test(query.value) ? Number(query.value) : (query.value as CoarseValue);
        const then = await modelThen(app.appId, at, "at");
        if ("status" in then) return refuse(then);
        const { position, version, partners, labels } = then;
        const meaning = decodeValue(version.model, postback, value);
        const decoded = {
          value,
          postback,
          configType: version.model.configType,
          ...versionResponse(version, labels),
          meaning: meaning && withPartnerNames(shownValue(meaning), partners),
        };
        return ok({ data: { decoded, asOfPosition: position.toString() } });
      },
    }),
  ];
}

function versionResponse(version: ModelVersion, labels: TokenLabels) {
  const { since, by } = publicationOf(version, labels);
  return { version: version.version, since, publishedBy: by };
}

/** `since`: the first position and instant at which `asOf` finds the version. */
function publicationOf({ fromPosition, at, actor, requestId }: Published, labels: TokenLabels) {
  const since = { position: fromPosition.toString(), recordedAt: at.toISOString() };
  return { since, by: { ...actorResponse(actor, labels), requestId } };
}

/** Each event with its names at channels. */
function withPartnerNames(
  { isOverlapped, events }: ReturnType<typeof shownValue>,
  partners: readonly PartnerMapping[],
) {
  return {
    isOverlapped,
    events: events.map((event) => ({
      ...event,
      partnerEventNames: Object.fromEntries(
        partners.flatMap(({ channel, events: names }) =>
          Object.hasOwn(names, event.eventName) ? [[channel, names[event.eventName]]] : [],
        ),
      ),
    })),
  };
}
