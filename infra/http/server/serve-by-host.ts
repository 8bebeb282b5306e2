import type { RequestHandler } from "express";
import { problems } from "../response/problem.ts";
import { writeProblem } from "../response/write-response.ts";

export interface PublicUrls {
  readonly baseUrl: string;
  readonly linkBaseUrl: string;
}

/**
 * Passes requests below `linkBaseUrl` to the link handler, without the path of that URL. When links have a host of
 * their own, the handler gets all requests for that host and no others (contract/http.md#hosts).
 * @param urls as `publicAddress` returns them
 * @param associations gets requests for the host of links first, and passes on those that it does not serve
 */
export function serveByHost(
  { baseUrl, linkBaseUrl }: PublicUrls,
  linkHandler: RequestHandler,
  associations: RequestHandler,
): RequestHandler {
  const { protocol, host, pathname } = new URL(linkBaseUrl);
  const defaultPort = protocol === "https:" ? "443" : "80";
  const redirects = below(pathname, linkHandler);
  const links: RequestHandler = (request, response, next) =>
    associations(request, response, (failure?: unknown) =>
      failure === undefined ? redirects(request, response, next) : next(failure),
    );
  if (host === new URL(baseUrl).host) return links;
  return (request, response, next) => {
    const requested = request.host;
    if (requested !== host && (requested === undefined || normalHost(requested, defaultPort) !== host)) {
      next();
      return;
    }
    return links(request, response, (failure?: unknown) => {
      if (failure === undefined) writeProblem(request, response, problems.notFound);
      else next(failure);
    });
  };
}

/** The host in lower case, without a final dot or the default port. */
function normalHost(host: string, defaultPort: string): string {
  const lower = host.toLowerCase();
  const [, name = lower, port = ""] = /^(.+?)\.?(?::(\d*))?$/.exec(lower) ?? [];
  return port === "" || port === defaultPort ? name : `${name}:${port}`;
}

/** Mounts a handler below a path as a router does, without a router's closures for every request. */
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
