import type { RequestHandler } from "express";
import { problems } from "../response/problem.ts";
import { writeProblem } from "../response/write-response.ts";

export interface PublicUrls {
  readonly baseUrl: string;
  readonly linkBaseUrl: string;
}

/**
 * Gives the link server what is below `linkBaseUrl`, the path of that address taken off. When its host is one of its
 * own, everything for that host is the link server's alone, and nothing for any other host is (contract/http.md#hosts);
 * the addresses are in their normal form.
 */
export function serveByHost({ baseUrl, linkBaseUrl }: PublicUrls, redirectHandler: RequestHandler): RequestHandler {
  const { protocol, host, pathname } = new URL(linkBaseUrl);
  const defaultPort = protocol === "https:" ? "443" : "80";
  const links = below(pathname, redirectHandler);
  if (host === new URL(baseUrl).host) return links;
  return (request, response, next) => {
    const asked = request.host;
    if (asked !== host && (asked === undefined || normalHost(asked, defaultPort) !== host)) {
      next();
      return;
    }
    return links(request, response, (failure?: unknown) => {
      if (failure === undefined) writeProblem(request, response, problems.notFound);
      else next(failure);
    });
  };
}

/**
 * The host as addresses in their normal form have it: in small letters, no dot after it, no port that the scheme has.
 */
function normalHost(host: string, defaultPort: string): string {
  const lower = host.toLowerCase();
  const [, name = lower, port = ""] = /^(.+?)\.?(?::(\d*))?$/.exec(lower) ?? [];
  return port === "" || port === defaultPort ? name : `${name}:${port}`;
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
