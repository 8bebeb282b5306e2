import { isUtf8 } from "node:buffer";
import type { Request, Response } from "express";
import type { JSONSchema } from "json-schema-to-ts";
import { fault, faultsAt } from "../../domain/fault.ts";
import { campaignKeys, publisherKeys } from "../../domain/values/campaign-params.ts";
import { type BodyGate, createBodyBudget } from "../../infra/http/request/body-gate.ts";
import { clientAddress, networkOf } from "../../infra/http/request/client-address.ts";
import { type ParsedJson, parseJson } from "../../infra/http/request/json-text.ts";
import { readBody } from "../../infra/http/request/read-body.ts";
import { parseQuery } from "../../infra/http/request/url-text.ts";
import { compileValidator } from "../../infra/http/request/validation.ts";
import { type Problem, problems, validationFailed } from "../../infra/http/response/problem.ts";
import type { Query } from "./url-parameters.ts";

/** Bytes: the maximum of the headers of a request, and so of its URL. */
export const maxBodyBytes = 64 * 1024;

const maxHeldBytes = 8 * 1024 * 1024;
const maxHeldOfAddress = 1024 * 1024;

/** The bytes of server-to-server clicks in memory. For one request: counts bytes; false when there are too many. */
export type ServerClickBudget = (appId: number, request: Request, response: Response) => BodyGate["hold"];

/**
 * The shares of apps and of client addresses (contract/limits.md#sizes). Not those of the API: sending these needs no
 * token, and slow bodies could use up a shared budget.
 */
export function createServerClickBudget(): ServerClickBudget {
  const ofApps = createBodyBudget(maxHeldBytes);
  const ofAddresses = createBodyBudget(maxHeldBytes, maxHeldOfAddress);
  return (appId, request, response) => {
    const ofApp = ofApps.open(appId, response);
    const ofAddress = ofAddresses.open(networkOf(clientAddress(request)), response);
    return (bytes) => ofAddress(bytes) && ofApp(bytes);
  };
}

/**
 * The parameters of a click (contract/tracking-links.md#url-parameters, contract/tracking-links.md#partner-calls), and
 * those that name the link, which are ignored outside of the URL.
 */
const names = [
  ...campaignKeys,
  ...publisherKeys,
  ...["click_id", "click_timestamp", "gaid", "idfa", "idfv", "device_id", "ip", "user_agent", "os"],
  ...["deeplink_url", "fallback_ios", "fallback_android", "fallback_desktop"],
  ...["tracking_template_id", "routing_short_id", "ad_type"],
];
/** Integers that JSON keeps exactly. */
const textOrNumber = {
  type: ["string", "integer", "null"],
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
} as const;
const schema = {
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(names.map((name) => [name, textOrNumber])),
} as const satisfies JSONSchema;

/** Finding all faults of 6,000 fields, which no token is needed to send, takes 30 ms. */
const maxSearched = 1_000;
const faultsOf = compileValidator(schema, "body", maxSearched);

export type ServerClickBody =
  | { readonly outcome: "read"; readonly parameters: Query }
  | { readonly outcome: "refused"; readonly problem: Problem };

const unsupportedMediaType: Problem = { status: 415, code: "UNSUPPORTED_MEDIA_TYPE.json_or_form" };

const noParameters: ServerClickBody = { outcome: "read", parameters: {} };

/**
 * The parameters of a server's click in a body: a JSON object of texts and integers, or a form. Empty without a body;
 * null counts as absent, and the last of a repeated parameter counts. Rejects a body over 64 KiB (413), another media
 * type or an encoding (415), and invalid JSON, unknown parameters, other types and illegal text (400,
 * contract/http.md#unknown-fields).
 */
export async function readServerClickBody(
  request: Request,
  openBudget: () => BodyGate["hold"],
): Promise<ServerClickBody> {
  const { headers } = request;
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) return noParameters;
  const isForm = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers["content-type"] ?? "");
  const limits = { limit: maxBodyBytes, gzip: false, hold: openBudget() };
  const read = await readBody(request, isForm ? limits : { ...limits, mediaType: "json" });
  if (read.outcome === "refused") {
    const isOfOtherType = read.problem === problems.unsupportedMediaType;
    return { outcome: "refused", problem: isOfOtherType ? unsupportedMediaType : read.problem };
  }
  if (read.bytes.length === 0) return noParameters;
  const parsed = isForm ? parseForm(read.bytes) : parseJson(read.bytes);
  if (parsed.outcome === "invalid") return { outcome: "refused", problem: problems.invalidJson };
  const errors = parsed.outcome === "refused" ? faultsAt(["body"], [parsed.fault]) : faultsOf(parsed.value);
  if (parsed.outcome === "refused" || errors.length > 0) {
    return { outcome: "refused", problem: validationFailed(errors) };
  }
  return { outcome: "read", parameters: textsOf(parsed.value as { readonly [name: string]: string | number | null }) };
}

function parseForm(bytes: Buffer): ParsedJson {
  if (!isUtf8(bytes)) {
    return { outcome: "refused", fault: fault("illegal_text.percent_encoded", []) };
  }
  const text = bytes.toString("utf8");
  const checked = parseQuery(`?${text}`, new Map());
  if (checked.outcome === "refused") {
    return { outcome: "refused", fault: { ...checked.fault, path: checked.fault.path.slice(1) } };
  }
  return { outcome: "parsed", value: Object.fromEntries(new URLSearchParams(text)) };
}

function textsOf(body: { readonly [name: string]: string | number | null }): Query {
  const present = Object.entries(body).filter(([, value]) => value !== null);
  return Object.fromEntries(present.map(([name, value]) => [name, String(value)]));
}
