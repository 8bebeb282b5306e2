import type { RequestHandler } from "express";
import { problems } from "./problem.ts";
import { writeProblem } from "./write-answer.ts";

export interface PublicUrls {
  readonly baseUrl: string;
  readonly linkBaseUrl: string;
}

/**
 * Gives the link server what is below `linkBaseUrl`, the path of that address taken off. When its host is one of its
 * own, everything for that host is the link server's alone, and nothing for any other host is (D1.1).
 */
export function serveByHost({ baseUrl, linkBaseUrl }: PublicUrls, linkServer: RequestHandler): RequestHandler {
  const { host, pathname } = new URL(linkBaseUrl);
  const links = below(pathname, linkServer);
  if (host === new URL(baseUrl).host) return links;
  return (request, response, next) => {
    if (request.host?.toLowerCase() !== host) {
      next();
      return;
    }
    return links(request, response, (failure?: unknown) => {
      if (failure === undefined) writeProblem(request, response, problems.notFound);
      else next(failure);
    });
  };
}

/** As a router would mount it, without the closures that one makes for every click. */
function below(pathname: string, handler: RequestHandler): RequestHandler {
  const prefix = pathname.replace(/\/$/, "");
  return (request, response, next) => {
    const { url } = request;
    const rest = url.slice(prefix.length);
    if (!url.startsWith(prefix) || !/^($|[/?])/.test(rest)) {
      next();
      return;
    }
    request.url = rest.startsWith("/") ? rest : `/${rest}`;
    return handler(request, response, (failure?: unknown) => {
      request.url = url;
      next(failure);
    });
  };
}
