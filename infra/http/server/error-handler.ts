import type { ErrorRequestHandler, Express, RequestHandler } from "express";
import { ClientDisconnected } from "../request/read-body.ts";
import { type Problem, problems } from "../response/problem.ts";
import { writeProblem } from "../response/write-response.ts";
import { type RouteDeps, respondToFailure } from "../routing/mount-routes.ts";
import { nearestPathOf } from "./nearest-path.ts";

/**
 * Mounts the last handlers of an app: 404 for unknown paths, and responses to what other handlers throw.
 * @param paths that the app serves, to suggest one of them
 */
export function addErrorHandlers(
  app: Express,
  deps: Pick<RouteDeps, "failed" | "problemOf" | "observeResponse">,
  paths: readonly string[] = [],
): void {
  const nearestPath = nearestPathOf(paths);
  const notFound: RequestHandler = (request, response) => {
    const nearest = nearestPath(request.path);
    const detail = nearest === null ? {} : { detail: { code: "NOT_FOUND.path", params: { nearest } } };
    writeProblem(request, response, { ...problems.notFound, ...detail });
    deps.observeResponse?.("unknown", request.method, 404, 0);
  };
  const failed: ErrorRequestHandler = (failure, request, response, _next) => {
    if (failure instanceof ClientDisconnected) response.destroy();
    else
      respondToFailure(failure, request, response, {
        ...deps,
        problemOf: (thrown) => deps.problemOf?.(thrown) ?? badRequest(thrown),
      });
  };
  app.use(notFound, failed);
}

/** Express throws errors that carry a status. */
function badRequest(failure: unknown): Problem | null {
  const status = failure instanceof Error && "status" in failure ? failure.status : null;
  return typeof status === "number" && status >= 400 && status < 500 ? problems.badRequest : null;
}
