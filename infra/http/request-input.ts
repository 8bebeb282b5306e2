import type { Request } from "express";
import { readBody } from "./body.ts";
import { parseJson } from "./json-text.ts";
import { pathFault } from "./path-text.ts";
import { type FieldFault, type Problem, problems, titleOf } from "./problem.ts";
import { parseQuery, queryTypes } from "./query-text.ts";
import type { Route } from "./route.ts";
import { compileValidator } from "./validation.ts";

const defaultBodyLimit = 1024 * 1024;

/** `bytes`: the body's; null when they were too many. */
export type Input =
  | { readonly outcome: "valid"; readonly query: unknown; readonly body: unknown; readonly bytes: Buffer }
  | { readonly outcome: "refused"; readonly problem: Problem; readonly bytes: Buffer | null };

/**
 * The middle steps of D1.4 for one route, its schemas compiled once: 413, 415, 400 for what is not JSON, then every
 * field fault of path, query and body in one answer, with the route's own statuses.
 */
export function inputReader(route: Route): (request: Request) => Promise<Input> {
  const fieldStatus = route.statuses?.field ?? 400;
  const jsonProblem = withStatus(problems.invalidJson, route.statuses?.json ?? 400);
  const types = queryTypes(route.query);
  const queryFaults = route.query === undefined ? null : compileValidator(route.query, "query");
  const bodyFaults = route.body === undefined ? null : compileValidator(route.body, "body");
  const limits = { limit: route.bodyLimit ?? defaultBodyLimit, gzip: route.gzip ?? false };
  const fieldFaults = (errors: readonly FieldFault[], bytes: Buffer): Input =>
    refused({ ...withStatus(problems.validationFailed, fieldStatus), errors }, bytes);

  return async (request) => {
    const faults: FieldFault[] = [];
    let body: unknown;
    let bytes: Buffer = Buffer.alloc(0);
    if (bodyFaults !== null) {
      const read = await readBody(request, limits);
      if (read.outcome === "refused") return read;
      bytes = read.bytes;
      if (bytes.length === 0 && route.method === "get") body = {};
      else {
        const parsed = parseJson(bytes, { anyText: route.judgesItems ?? false });
        if (parsed.outcome === "invalid") return refused(jsonProblem, bytes);
        if (parsed.outcome === "refused") {
          return fieldFaults([{ ...parsed.fault, loc: ["body", ...parsed.fault.loc] }], bytes);
        }
        body = parsed.value;
      }
    }
    const inPath = pathFault(request.params as { readonly [name: string]: string });
    if (inPath !== null) faults.push(inPath);
    const query = parseQuery(request.url, types);
    if (query.outcome === "refused") faults.push(query.fault);
    else if (queryFaults !== null) faults.push(...queryFaults(query.query));
    if (bodyFaults !== null) faults.push(...bodyFaults(body));
    if (faults.length > 0 || query.outcome === "refused") return fieldFaults(faults, bytes);
    return { outcome: "valid", query: queryFaults === null ? undefined : query.query, body, bytes };
  };
}

function withStatus(problem: Problem, status: number): Problem {
  return status === problem.status ? problem : { ...problem, status, title: titleOf[status] ?? problem.title };
}

function refused(problem: Problem, bytes: Buffer): Input {
  return { outcome: "refused", problem, bytes };
}
