import { setImmediate as nextTurn } from "node:timers/promises";
import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { type LogPosition, laterPosition } from "../../domain/event.ts";
import { type Fault, faultsAt } from "../../domain/fault.ts";
import { itemsByKey } from "../../domain/items-by-key.ts";
import { storesOf } from "../../domain/tracking-links/stores.ts";
import type { Language } from "../../domain/values/language.ts";
import { problemBody } from "../../infra/http/i18n/messages.ts";
import { illegalPart } from "../../infra/http/request/json-text.ts";
import { ruleFaults } from "../../infra/http/request/rule-faults.ts";
import { compileValidator } from "../../infra/http/request/validation.ts";
import { type Problem, validationFailed } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route } from "../../infra/http/routing/route.ts";
import { forEachConcurrently } from "../../infra/process/concurrency-limit.ts";
import { derivedUuid } from "../derived-ids.ts";
import { causeOf } from "../event-metadata.ts";
import { createdLinkResponse, type LinkCreation, type LinkCreator, requestFaults } from "./create-link.ts";
import { createLinksDocs } from "./docs.ts";
import { createLinkBody } from "./schemas.ts";

const bulkBody = {
  type: "object",
  required: ["links"],
  additionalProperties: false,
  properties: { links: { type: "array", minItems: 1, maxItems: 100 } },
} as const satisfies JSONSchema;

/**
 * Maximum bytes of a body; fits 100 links of maximum size. Such a link is 53 kB of UTF-8 JSON, or 126 kB if the client
 * escapes all characters beyond ASCII as `\uXXXX`: 100 of those are 12.6 MB.
 */
const bodyLimit = 13 * 1024 * 1024;
/** Such a request and its response take about 100 MB of memory; four at once delay redirects by 600 ms. */
const maxLargeBodies = 2;

/** Maximum links created concurrently. */
const maxConcurrentLinks = 8;

type LinkBody = FromSchema<typeof createLinkBody>;

const shapeFaultsOf = compileValidator(createLinkBody, "body");

/**
 * `POST /v1/tracking-links/bulk` (contract/tracking-links.md#bulk-creation): creates up to 100 links; the response has
 * the outcome of each at its index, as if it had been created alone. A well-formed request gets 200, or 503 if
 * the event store becomes unavailable: a retry with the same `Idempotency-Key` (contract/http.md#idempotency) resumes
 * it. Each link counts against the rate limit (contract/limits.md#rate-limits); a request over the limit gets 429 and
 * creates no link.
 */
export function bulkLinkRoute(create: LinkCreator, linkBaseUrl: string): Route {
  return appRoute({
    method: "post",
    path: "/v1/tracking-links/bulk",
    docs: createLinksDocs,
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
      const creations = await createAll(body.links, async (link, index) => {
        // Finding the faults of one may take 10 ms, which other requests wait for.
        await nextTurn();
        const errors = await faultsOf(link, app);
        if (errors.length > 0) return { outcome: "refused", problem: validationFailed(errors, 422) };
        const linkBody = link as LinkBody;
        return create(app, derivedUuid(commandId, "link", index), linkBody, cause);
      });
      const links = creations.map((creation, index) => {
        if (creation.outcome === "refused") return { index, ...refusedItem(creation.problem, index, language) };
        return { index, status: 200, trackingLink: createdLinkResponse(creation.link, app.name, linkBaseUrl) };
      });
      return ok({ data: { links } }, { visibleIn: "control", position: lastPosition(creations) });
    },
  });
}

/**
 * The result of `work` for each link, in order. Those with the same custom short id wait for each other: the first gets
 * it.
 */
async function createAll(
  links: readonly unknown[],
  work: (link: unknown, index: number) => Promise<LinkCreation>,
): Promise<readonly LinkCreation[]> {
  const creations: LinkCreation[] = [];
  await forEachConcurrently(maxConcurrentLinks, groupedByShortId(links), async (group) => {
    for (const index of group) creations[index] = await work(links[index], index);
  });
  return creations;
}

/** The indices of links in groups: those with the same custom short id, or one with none. */
function groupedByShortId(links: readonly unknown[]): readonly (readonly number[])[] {
  const groups = itemsByKey([...links.keys()], (index) => {
    const { customShortId } = Object(links[index]) as { readonly customShortId?: unknown };
    return typeof customShortId === "string" ? customShortId : index;
  });
  return [...groups.values()];
}

/**
 * Illegal text (contract/http.md#text), else the faults of the link's shape: the order of validation of a single link.
 */
async function faultsOf(link: unknown, app: RegisteredApp): Promise<readonly Fault[]> {
  const illegal = illegalPart(link);
  if (illegal !== null) return faultsAt(["body"], [illegal]);
  const ofShape = shapeFaultsOf(link);
  if (ofShape.length === 0) return [];
  const rules = (sound: LinkBody) => requestFaults(sound, storesOf(app));
  const ofMeaning = await ruleFaults(link, ofShape, createLinkBody, shapeFaultsOf, rules);
  return [...ofShape, ...faultsAt(["body"], ofMeaning)];
}

function refusedItem(problem: Problem, index: number, language: Language): object {
  const { status, code, title, detail, errors = [] } = problemBody(problem, language);
  const placed = errors.map(({ loc: [root = "body", ...rest], ...fault }) => ({
    loc: [root, "links", index, ...rest],
    ...fault,
  }));
  return { status, error: { code, title, detail, errors: placed } };
}

function lastPosition(creations: readonly LinkCreation[]): LogPosition | null {
  const positions = creations.map((creation) => (creation.outcome === "refused" ? null : creation.position));
  return positions.reduce(laterPosition, null);
}
