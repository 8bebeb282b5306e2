import { type ParsedUrlQuery, parse } from "node:querystring";
import express, { type RequestHandler } from "express";
import helmet from "helmet";
import { pathsDecodable } from "../request/path-text.ts";
import { requestIds } from "../response/request-id.ts";

/**
 * An Express app for everything that is served: request ids on every answer, paths told apart by case, no header
 * that names the software. Mount on it, in this order: {@link securityHeaders}, routes, and `addErrorHandlers` last.
 * @param trustedProxies addresses and CIDR ranges whose `X-Forwarded-*` headers are believed; none: nobody's
 * @param links what is asked for more than everything else together, so that nothing stands before it: it gives its
 *   answers request ids, and reads paths that cannot be decoded, by itself
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

const unlimited = { maxKeys: 0 };

/** As Express reads a query, but for its thousand parameters at most: the length of a URL is bound as it is. */
function everyParameter(query: string | null): ParsedUrlQuery {
  return parse(query ?? "", "&", "=", unlimited);
}

/** Headers that keep a browser from doing anything with an API's answers. Pages for people set their own. */
export function securityHeaders(): express.RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    frameguard: { action: "deny" },
    // Whether other hosts of the domain speak TLS is not ours to say.
    strictTransportSecurity: { includeSubDomains: false },
    crossOriginOpenerPolicy: false,
    dnsPrefetchControl: false,
    ieNoOpen: false,
    originAgentCluster: false,
    permittedCrossDomainPolicies: false,
    xssFilter: false,
  });
}
