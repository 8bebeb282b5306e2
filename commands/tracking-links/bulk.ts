import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import type { LogPosition } from "../../domain/event.ts";
import { type Fault, faultsAt } from "../../domain/fault.ts";
import type { Language } from "../../domain/values/language.ts";
import { problemBody } from "../../infra/http/i18n/messages.ts";
import { illegalPart } from "../../infra/http/request/json-text.ts";
import { compileValidator } from "../../infra/http/request/validation.ts";
import { validationFailed } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route } from "../../infra/http/routing/route.ts";
import { derivedUuid } from "../derived-ids.ts";
import { causeOf } from "../metadata.ts";
import { createMutex } from "../mutex.ts";
import type { LinkCreation, LinkCreator } from "./link-creator.ts";
import { createLinkBody } from "./schemas.ts";

const bulkBody = {
  type: "object",
  required: ["links"],
  additionalProperties: false,
  properties: { links: { type: "array", minItems: 1, maxItems: 100 } },
} as const satisfies JSONSchema;

/**
 * Bytes of a body, at most: room for a hundred of the greatest links that are created one by one. Such a link, every
 * text as long as it may be, is 53 kB of UTF-8 JSON, and 126 kB where a client writes each character that is not ASCII
 * as `\uXXXX`, as many do: 100 of those are 12.6 MB.
 */
const bodyLimit = 13 * 1024 * 1024;
/**
 * Such a request and its answer, as large again, take about 100 MB of memory. Four at once hold redirects up for 600
 * ms.
 */
const maxLargeBodies = 2;

/** Links on their way into the log at the same time. */
const maxConcurrentLinks = 8;

const shapeFaultsOf = compileValidator(createLinkBody, "body");

/**
 * `POST /v1/tracking-links/bulk` (contract/tracking-links.md#bulk-creation): creates up to 100 links, each answered at
 * its place as if it had been asked for alone. The whole is 200 when it is well formed; when the event store goes away,
 * 503, and the same request with the same `Idempotency-Key` (contract/http.md#idempotency) goes on where this one
 * stopped. Each link counts against the rate limit (contract/limits.md#rate-limits), together no more than a full
 * bucket holds: 429 before the first of them when that is not there.
 */
export function bulkLinkRoute(create: LinkCreator): Route {
  return appRoute({
    method: "post",
    path: "/v1/tracking-links/bulk",
    operation: "create_tracking_link",
    limit: "link-creation",
    countsAs: ({ links }) => links.length,
    body: bulkBody,
    bodyLimit,
    maxLargeBodies,
    statuses: { field: 422, unknownToken: 404 },
    idempotent: true,
    validatesItems: true,
    async handle(request) {
      const { app, body, commandId, language } = request;
      const cause = causeOf(request);
      const answers = await inLanes(body.links, async (link, index) => {
        const errors = faultsOf(link);
        if (errors.length > 0) return { outcome: "refused", problem: validationFailed(errors, 422) };
        const asked = link as FromSchema<typeof createLinkBody>;
        return create(app, derivedUuid(commandId, "link", index), asked, cause);
      });
      const links = answers.map((answer, index) => ({ index, ...itemOf(answer, index, language) }));
      const position = lastOf(answers);
      return ok({ data: { links } }, { visibleIn: "control", ...(position === null ? {} : { position }) });
    },
  });
}

/**
 * Works items off in some lanes at once, in each one after the other. Once one has failed no further is begun; those
 * under way are waited for.
 */
async function inLanes(
  links: readonly unknown[],
  work: (link: unknown, index: number) => Promise<LinkCreation>,
): Promise<readonly LinkCreation[]> {
  const lanes = Array.from({ length: maxConcurrentLinks }, createMutex);
  const failures: unknown[] = [];
  const answers = await Promise.allSettled(
    links.map((link, index) => {
      const lane = lanes[laneOf(link, index)] ?? createMutex();
      return lane(async () => {
        if (failures.length > 0) throw failures[0];
        return work(link, index).catch((failure: unknown) => {
          failures.push(failure);
          throw failure;
        });
      });
    }),
  );
  return answers.map((answer) => {
    if (answer.status === "rejected") throw answer.reason;
    return answer.value;
  });
}

/** Who ask for one short id stand in one lane: the first of them gets it. */
function laneOf(link: unknown, index: number): number {
  const { customShortId } = Object(link) as { readonly customShortId?: unknown };
  if (typeof customShortId !== "string") return index % maxConcurrentLinks;
  let sum = 0;
  for (const character of customShortId) sum = (sum * 31 + character.charCodeAt(0)) % 65_521;
  return sum % maxConcurrentLinks;
}

/**
 * Refused text (contract/http.md#text), then the faults of the link's shape: the order in which a link that is asked
 * for alone is judged.
 */
function faultsOf(link: unknown): readonly Fault[] {
  const illegal = illegalPart(link);
  return illegal === null ? shapeFaultsOf(link) : faultsAt(["body"], [illegal]);
}

function itemOf(answer: LinkCreation, index: number, language: Language): object {
  if (answer.outcome === "created") return { status: 200, trackingLink: answer.trackingLink };
  const { status, code, title, detail, errors = [] } = problemBody(answer.problem, language);
  const placed = errors.map(({ loc: [root = "body", ...rest], ...fault }) => ({
    loc: [root, "links", index, ...rest],
    ...fault,
  }));
  return { status, error: { code, title, detail, errors: placed } };
}

function lastOf(answers: readonly LinkCreation[]): LogPosition | null {
  let last: LogPosition | null = null;
  for (const answer of answers) {
    if (answer.outcome === "refused" || answer.position === null) continue;
    if (last === null || answer.position.commit > last.commit) last = answer.position;
  }
  return last;
}
