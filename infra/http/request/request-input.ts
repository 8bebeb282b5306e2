import type { Request } from "express";
import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import { type Fault, faultsAt } from "../../../domain/fault.ts";
import { type Problem, validationFailed } from "../response/problem.ts";
import type { BodyContent } from "../routing/idempotency.ts";
import type { Route } from "../routing/route.ts";
import type { BodyGate } from "./body-gate.ts";
import { bodyReader } from "./parse-body.ts";
import { ruleFaults } from "./rule-faults.ts";
import { parseQuery, pathFault, queryTypes } from "./url-text.ts";
import { compileValidator } from "./validation.ts";

/** `content` is what an `Idempotency-Key` identifies the body by. */
export type Input =
  | { readonly outcome: "valid"; readonly query: unknown; readonly body: unknown; readonly content: BodyContent }
  | { readonly outcome: "refused"; readonly problem: Problem; readonly content: BodyContent }
  /** The body was not parsed: it is too large, or not admitted. */
  | { readonly outcome: "unread"; readonly problem: Problem };

/**
 * Reads and validates the input of a route (contract/http.md#statuses): 413, 415, 400 for a body that cannot be parsed,
 * then all faults of path, query and body in one problem, with the route's own statuses. Compiles the schemas once.
 */
export function inputReader(
  route: Route,
): (request: Request, gate: BodyGate, app: RegisteredApp | null, receivedAt: string) => Promise<Input> {
  const { rules } = route;
  const types = queryTypes(route.query);
  const readBody = bodyReader(route);
  const queryFaults = route.query === undefined ? null : compileValidator(route.query, "query");
  const bodyFaults = route.body === undefined ? null : compileValidator(route.body, "body");

  return async (request, gate, app, receivedAt) => {
    const read = await readBody(request, gate);
    if (read.outcome !== "read") return read;
    const { body, content } = read;
    const faults: Fault[] = [];
    const params = request.params as { readonly [name: string]: string };
    const inPath = pathFault(params);
    if (inPath !== null) faults.push(inPath);
    const query = parseQuery(request.url, types);
    if (query.outcome === "refused") faults.push(query.fault);
    else if (queryFaults !== null) faults.push(...queryFaults(query.query));
    const ofShape = bodyFaults === null ? [] : bodyFaults(body);
    faults.push(...ofShape);
    if (faults.length > 0 && route.body !== undefined && bodyFaults !== null && rules !== undefined) {
      const ofMeaning = await ruleFaults(body, ofShape, route.body, bodyFaults, (sound, replaced) =>
        rules(sound, { app, receivedAt, params, replaced }),
      );
      faults.push(...faultsAt(["body"], ofMeaning));
    }
    if (faults.length > 0 || query.outcome === "refused") {
      return { outcome: "refused", problem: validationFailed(faults, route.statuses?.field), content };
    }
    return { outcome: "valid", query: queryFaults === null ? undefined : query.query, body, content };
  };
}
