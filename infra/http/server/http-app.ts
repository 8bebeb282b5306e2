import { type ParsedUrlQuery, parse } from "node:querystring";
import express, { type RequestHandler } from "express";
import helmet from "helmet";
import { percentDecoded } from "../../../domain/values/url.ts";
import { pathsDecodable } from "../request/url-text.ts";
import { requestIds } from "../response/request-id.ts";

/**
 * An Express app with request ids on every response and case-sensitive paths. Mount on it, in this order:
 * {@link securityHeaders}, routes, and `addErrorHandlers` last.
 * @param trustedProxies addresses and CIDR ranges whose `X-Forwarded-*` headers are used
 * @param links first handler, for speed: most requests are for links. It sets request ids and decodes paths itself
 */
export function createHttpApp(trustedProxies: readonly string[] = [], links?: RequestHandler): express.Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", everyParameter);
  app.set("trust proxy", trustedProxies.length === 0 ? false : [...trustedProxies]);
  if (links !== undefined) app.use(links);
  app.use(requestIds(), pathsDecodable());
  return app;
}

const queryOptions = { maxKeys: 0, decodeURIComponent: (part: string) => percentDecoded(part) ?? decodedLossily(part) };

/** Replaces bytes that are not UTF-8 by U+FFFD, as the decoder of Node.js does, which throws and catches an exception for each part. */
function decodedLossily(part: string): string {
  const bytes = part.replace(/%([\da-f]{2})/gi, (_escape, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}

/** Parses a query as Express does, without its limit of 1,000 parameters: the length of URLs is limited already. */
function everyParameter(query: string | null): ParsedUrlQuery {
  return parse(query ?? "", "&", "=", queryOptions);
}

/** Headers that forbid browsers to use responses of the API. Pages set their own. */
export function securityHeaders(): express.RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    frameguard: { action: "deny" },
    // Other hosts of the domain may not use TLS.
    strictTransportSecurity: { includeSubDomains: false },
    crossOriginOpenerPolicy: false,
    dnsPrefetchControl: false,
    ieNoOpen: false,
    originAgentCluster: false,
    permittedCrossDomainPolicies: false,
    xssFilter: false,
  });
}
