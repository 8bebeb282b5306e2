import { createHash } from "node:crypto";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { ConversionModel } from "../../domain/conversion-values/events.ts";
import { fault } from "../../domain/fault.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import { type Problem, problems, validationFailed } from "../../infra/http/response/problem.ts";
import { type Reply, type Route, refuse, route } from "../../infra/http/routing/route.ts";
import { bitConfigFeedDocs, schemaFeedDocs } from "./docs.ts";
import { bitConfigFeed, type FeedSource, schemaFeed } from "./feeds.ts";

interface Dated<Value> {
  readonly value: Value;
  readonly recordedAt: Date;
}

/** The current conversion model of an app. Immutable: a change makes a new object. */
export interface PublishedNow {
  readonly model: Dated<ConversionModel> | null;
  readonly partners: ReadonlyMap<string, Dated<{ readonly [eventName: string]: string }>>;
}

export interface FeedOptions {
  findAppByStoreId(iosStoreId: string): Promise<RegisteredApp | null>;
  /** Rejects if the log must be read and cannot. */
  publishedModelOf(appId: number): Promise<PublishedNow>;
  readonly baseUrl: string;
}

/** The response to a channel until the model or the mapping changes. */
interface PreparedFeed {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

type Prepare = (published: PublishedNow, app: RegisteredApp, principal: Principal) => PreparedFeed | Problem;

const required = { type: "string", minLength: 1, maxLength: 256 } as const;
const storeId = { ...required, examples: ["123456789"] } as const;
const responseFormat = { ...required, examples: ["partner_v1"] } as const;

/** The query without `api_key`: a call without it is refused with 401 before the query is validated. */
const schemaFeedQuery = {
  type: "object",
  required: ["ios_store_app_id", "response_format"],
  properties: { ios_store_app_id: storeId, response_format: responseFormat },
} as const;

/** The store id has two spellings, one of which is present. */
const bitConfigQuery = {
  type: "object",
  required: ["response_format"],
  properties: { ios_store_id: storeId, ios_store_app_id: required, response_format: responseFormat },
} as const;

const schemaPath = "/skadnetwork/v1/conversion-value-schema";
const mediaType = "application/json; charset=utf-8";
/** A channel may cache a response and must revalidate it. */
const headers = { "Cache-Control": "private, no-cache" };
/** RFC 9745: since 2026-01-01T00:00:00Z. */
const deprecatedSince = "@1767225600";

/** An unknown app, or one that has not enabled the channel. */
const notEnabled: Problem = { ...problems.appNotFound, detail: { code: "APP_NOT_FOUND.feed" } };
const modelNotFound: Problem = { status: 404, code: "CONVERSION_MODEL_NOT_FOUND" };

const noStoreId = validationFailed([fault("missing", ["query", "ios_store_id"])]);
const twoStoreIds = validationFailed([fault("not_allowed.other_store_id", ["query", "ios_store_app_id"])]);

/**
 * The feeds of conversion models for certified channels (contract/conversion-values.md#feeds): prepared once for each
 * version, app and channel, with an `ETag`. 404 for an unknown app or one that has not enabled the channel.
 */
export function conversionFeedRoutes({ findAppByStoreId, publishedModelOf, baseUrl }: FeedOptions): readonly Route[] {
  const feedReply = async (prepare: Prepare, iosStoreId: string, principal: Principal): Promise<Reply> => {
    const app = await findAppByStoreId(iosStoreId);
    if (app === null) return refuse(notEnabled);
    const feed = prepare(await publishedModelOf(app.appId), app, principal);
    return "status" in feed ? refuse(feed) : { kind: "written", text: feed.bytes, mediaType, headers, etag: feed.etag };
  };
  const schema = preparedFeeds(schemaFeed);
  const bitConfig = preparedFeeds(bitConfigFeed);
  return [
    route({
      method: "get",
      path: schemaPath,
      docs: schemaFeedDocs,
      operation: "read_conversion_values",
      apiKey: true,
      query: schemaFeedQuery,
      reads: "control",
      handle: ({ query, principal }) => feedReply(schema, query.ios_store_app_id, principal),
    }),
    route({
      method: "get",
      path: "/skadnetwork/conversion-bit-config/v4",
      docs: bitConfigFeedDocs,
      operation: "read_conversion_values",
      apiKey: true,
      query: bitConfigQuery,
      reads: "control",
      headers: { Deprecation: deprecatedSince, Link: `<${baseUrl}${schemaPath}>; rel="successor-version"` },
      handle: async ({ query, principal }) => {
        const { ios_store_id: older, ios_store_app_id: newer } = query;
        const iosStoreId = older ?? newer;
        if (iosStoreId === undefined) return refuse(noStoreId);
        if (newer !== undefined && newer !== iosStoreId) return refuse(twoStoreIds);
        return feedReply(bitConfig, iosStoreId, principal);
      },
    }),
  ];
}

/** Serialises each feed once; the result lives as long as the published model. */
function preparedFeeds(feedOf: (source: FeedSource) => object): Prepare {
  const prepared = new WeakMap<PublishedNow, Map<string, PreparedFeed>>();
  return (published, { currency }, principal) => {
    const partner = principal.kind === "channel" ? published.partners.get(principal.channel) : undefined;
    if (principal.kind !== "channel" || partner === undefined) return notEnabled;
    if (published.model === null) return modelNotFound;
    const byChannel = prepared.get(published) ?? new Map<string, PreparedFeed>();
    prepared.set(published, byChannel);
    const known = byChannel.get(principal.channel);
    if (known !== undefined) return known;
    const { value: model, recordedAt } = published.model;
    const changedAt = new Date(Math.max(partner.recordedAt.getTime(), recordedAt.getTime()));
    const bytes = Buffer.from(JSON.stringify(feedOf({ model, partnerEvents: partner.value, currency, changedAt })));
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
    byChannel.set(principal.channel, { bytes, etag });
    return { bytes, etag };
  };
}
