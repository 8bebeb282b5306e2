import type { JSONSchema } from "json-schema-to-ts";
import { publicCode } from "../../../domain/fault.ts";
import { problemBody } from "../i18n/messages.ts";
import type { Problem } from "../response/problem.ts";
import type { MediaType, OpenApiOperation, OpenApiResponse } from "./open-api.ts";
import type { ProblemsByStatus } from "./operation-problems.ts";
import { type HeaderName, headersOf } from "./response-headers.ts";
import { type DocumentedResponse, integer, listOf, object, type RouteDocs, text, uuid } from "./route-docs.ts";

export const problemSchema = object(
  { type: text, title: text, status: integer, detail: text, instance: text, code: text, requestId: uuid },
  { errors: listOf(object({ loc: listOf({ type: ["string", "integer"] }), msg: text, type: text })) },
);

/**
 * The responses of an operation.
 * @param problems that it responds with, and the path of an example call
 * @param headers of its other responses, of which problems have all that do not belong to a success
 */
export function responsesOf(
  docs: RouteDocs,
  problems: { readonly byStatus: ProblemsByStatus; readonly path: string },
  headers: readonly HeaderName[],
): OpenApiOperation["responses"] {
  const responses: { [status: string]: OpenApiResponse } = {};
  const versions = isVersioned(docs) ? (["ETag"] as const) : [];
  const ofProblems = headers.filter((name) => name !== "X-Log-Position");
  for (const [status, declared] of Object.entries(docs.responses)) {
    const listed = declared === null ? [] : "example" in declared ? [declared] : declared;
    responses[status] = {
      description: descriptionOf(Number(status)),
      headers: headersOf([
        ...[...headers, ...versions, ...(ofStatus[Number(status)] ?? [])],
        ...listed.flatMap((response) => response.headers ?? []),
      ]),
      ...(listed.length === 0 ? {} : { content: contentOf(listed) }),
    };
  }
  for (const [status, declared] of problems.byStatus) {
    const codes = declared.map(({ code }) => publicCode(code));
    const [first] = declared;
    responses[status] = {
      description: `${descriptionOf(status)}: ${codes.map((code) => `\`${code}\``).join(", ")}`,
      headers: headersOf([
        ...(status === 401 ? ofProblems.filter((name) => !ofIdentified.includes(name)) : ofProblems),
        ...(isRetried(docs, status) ? (["Retry-After"] as const) : []),
        ...(ofStatus[status] ?? []),
      ]),
      content: {
        "application/problem+json": {
          schema: problemSchemaOf(status, codes),
          ...(first === undefined ? {} : { example: exampleOf(first, problems.path) }),
        },
      },
    };
  }
  return responses;
}

/** Headers that only responses of one status have. */
const ofStatus: { readonly [status: number]: readonly HeaderName[] } = {
  401: ["WWW-Authenticate"],
  416: ["Content-Range"],
};

/** Headers that need to know the caller. */
const ofIdentified: readonly HeaderName[] = [
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Idempotent-Replayed",
];

/** Whether the content has an `ETag`, and a caller who has it already gets 304. */
export function isVersioned({ responses }: RouteDocs): boolean {
  return Object.hasOwn(responses, 304);
}

function isRetried({ problems = [] }: RouteDocs, status: number): boolean {
  const isDeclared = problems.some((problem) => problem.status === status && problem.retryAfterSeconds !== undefined);
  return isDeclared || status === 429 || status === 503;
}

function contentOf(responses: readonly DocumentedResponse[]): { readonly [mediaType: string]: MediaType } {
  return Object.fromEntries(
    responses.map(({ mediaType = "application/json", schema, example }) => [
      mediaType,
      { schema: schema ?? { type: "string" }, example },
    ]),
  );
}

function problemSchemaOf(status: number, codes: readonly string[]): JSONSchema {
  const ofCodes = { properties: { status: { const: status }, code: { type: "string", enum: codes } } } as const;
  return { allOf: [{ $ref: "#/components/schemas/Problem" }, { type: "object", ...ofCodes }] };
}

/** The body of a problem as `writeProblem` sends it. */
function exampleOf(problem: Problem, instance: string): object {
  const { title, status, detail, code, errors } = problemBody(problem, "en");
  const requestId = "018f4f3a-6f2b-7c1d-8a52-0c9f5f2f9a10";
  return { type: "about:blank", title, status, detail, instance, code, requestId, errors };
}

const descriptions: { readonly [status: number]: string } = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "Done, without a body",
  206: "The requested part",
  304: "Not modified",
  400: "The request is malformed",
  401: "The token is missing or unknown",
  403: "The token lacks the permission",
  404: "Not found, or not visible to the token",
  409: "The request conflicts with the current state",
  413: "The body is too large",
  415: "The media type or encoding is not supported",
  416: "The requested part does not exist",
  422: "A field is invalid",
  429: "Too many requests",
  500: "Unexpected error",
  503: "Temporarily unavailable; retry",
};

function descriptionOf(status: number): string {
  return descriptions[status] ?? String(status);
}
