import type { RequestHandler } from "express";
import { problems } from "../response/problem.ts";
import { writeProblem } from "../response/write-response.ts";

export interface PublicUrls {
  readonly baseUrl: string;
  readonly linkBaseUrl: string;
}

/**
 * Passes requests below `linkBaseUrl` to the link handler, without the path of that URL. Those at the host of `baseUrl`
 * have lost its path, as a proxy removes it (docs/configuration.md#public-addresses). When links have a host of
 * their own, the handler gets all requests for that host and no others (contract/http.md#hosts).
 * @param urls as `publicAddress` returns them
 * @param associations gets requests for the host of links first, and passes on those that it does not serve
 */
export function serveByHost(
  { baseUrl, linkBaseUrl }: PublicUrls,
  linkHandler: RequestHandler,
  associations: RequestHandler,
): RequestHandler {
  const [links, base] = [new URL(linkBaseUrl), new URL(baseUrl)];
  const { protocol, host } = links;
  const defaultPort = protocol === "https:" ? "443" : "80";
  const redirects = below(linkPath(links, base), linkHandler);
  const serveLinks: RequestHandler = (request, response, next) =>
    associations(request, response, (failure?: unknown) =>
      failure === undefined ? redirects(request, response, next) : next(failure),
    );
  if (host === base.host) return serveLinks;
  return (request, response, next) => {
    const requested = request.host;
    if (requested !== host && (requested === undefined || normalHost(requested, defaultPort) !== host)) {
      next();
      return;
    }
    return serveLinks(request, response, (failure?: unknown) => {
      if (failure === undefined) writeProblem(request, response, problems.notFound);
      else next(failure);
    });
  };
}

/** The path of links in requests as they arrive. */
function linkPath(links: URL, base: URL): string {
  const removed = base.pathname.replace(/\/$/, "");
  const isBelow = links.host === base.host && links.pathname.startsWith(`${removed}/`);
  return isBelow ? links.pathname.slice(removed.length) : links.pathname;
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
