import type { Express, RequestHandler } from "express";
import { problems } from "../response/problem.ts";
import { writeProblem } from "../response/write-response.ts";

/** Serves GET and HEAD on a path, and 405 with `Allow` for other methods (contract/http.md#statuses). */
export function getOnly(app: Express, path: string, handler: RequestHandler): void {
  app.get(path, handler);
  app.all(path, (request, response) => {
    writeProblem(request, response, problems.methodNotAllowed, { Allow: "GET, HEAD" });
  });
}
