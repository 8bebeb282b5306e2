import type { Express } from "express";
import type { Registry } from "prom-client";
import { createReadRecorder } from "../../commands/audit/record-read.ts";
import { appAssociations } from "../../commands/link-serving/app-associations.ts";
import { openPageHandler } from "../../commands/link-serving/link-handler.ts";
import { contextNotServedYet, contextPath } from "../../read-api/prediction/context-route.ts";
import { downloadEndpoint } from "../../read-api/raw-exports/docs.ts";
import { downloadPath } from "../../read-api/raw-exports/signed-url.ts";
import type { Config } from "../config/config.ts";
import { mountDocuments } from "../http/openapi/mount-documents.ts";
import { openEndpointsOf } from "../http/openapi/open-endpoints.ts";
import { problems } from "../http/response/problem.ts";
import { writeProblem } from "../http/response/write-response.ts";
import { createSharedState, mountRoutes } from "../http/routing/mount-routes.ts";
import { createRateLimiter } from "../http/routing/rate-limiter.ts";
import { addErrorHandlers } from "../http/server/error-handler.ts";
import { createHttpApp, securityHeaders } from "../http/server/http-app.ts";
import { type Listener, servesPublic, servesRoute } from "../http/server/listeners.ts";
import { mountMonitoring, type Readiness } from "../http/server/monitoring-endpoints.ts";
import { measureResponses, observed } from "../http/server/response-metrics.ts";
import { serveByHost } from "../http/server/serve-by-host.ts";
import { mountWebSnippet } from "../http/server/web-snippet.ts";
import { version } from "../process/version.ts";
import { exportDownloads } from "./exports.ts";
import { type ApiParts, commandRoutesOf, failureLog, type HttpParts, readRoutesOf, routeDeps } from "./http-routes.ts";
import { serveLinks } from "./link-serving.ts";

/** Settings of every app: whose addresses of clients are trusted, and how much each may call. */
type EdgeSettings = Pick<Config, "trustedProxies" | "rateLimits">;

/** The app of a process that starts: it is alive but not ready, and requests that need not wait get a 503 to retry. */
export function startingApp(
  { trustedProxies, rateLimits }: EdgeSettings,
  registry: Registry,
  listener: Listener = "only",
): Express {
  const app = createHttpApp(trustedProxies);
  const readiness = (): Readiness => ({ ready: false, checks: { start: { ok: false, detail: "not done yet" } } });
  const rateLimiter = createRateLimiter(rateLimits);
  app.use(securityHeaders());
  mountMonitoring(app, { readiness, version: { version }, registry, rateLimiter }, listener);
  if (servesPublic(listener)) app.post(contextPath, contextNotServedYet);
  app.use((request, response) => writeProblem(request, response, problems.starting));
  return app;
}

/** Returns a function that builds the app of a listener: health and metrics alone. */
export function monitoringApps(
  { trustedProxies, rateLimits }: EdgeSettings,
  parts: HttpParts,
): (listener: Listener) => Express {
  const { readiness, registry } = parts;
  const rateLimiter = createRateLimiter(rateLimits);
  return (listener) => {
    const app = createHttpApp(trustedProxies);
    app.use(securityHeaders());
    mountMonitoring(app, { readiness, version: { version }, registry, rateLimiter }, listener);
    addErrorHandlers(app, { failed: failureLog(parts) });
    return app;
  };
}

/** Returns a function that builds the app of a listener: links, operations and both APIs (contract/http.md#hosts). */
export function apiApps(
  { trustedProxies, rateLimits }: EdgeSettings,
  parts: ApiParts,
): (listener: Listener) => Express {
  const { urls, readiness, registry, databases, readModels, secrets } = parts;
  const observeResponse = measureResponses(registry);
  const rateLimiter = createRateLimiter(rateLimits);
  const deps = { ...routeDeps(parts), rateLimiter, observeResponse };
  const routes = [
    ...commandRoutesOf(parts, deps.waitForPosition, rateLimiter),
    ...readRoutesOf(parts, deps.waitForPosition, rateLimits),
  ];
  const shared = createSharedState(deps.waitForPosition);

  return (listener) => {
    const isPublic = servesPublic(listener);
    const links = () =>
      serveByHost(
        urls,
        observed(serveLinks(parts, rateLimiter), "links", observeResponse),
        appAssociations({ allApps: readModels.apps.allApps, ...urls }),
      );
    const app = createHttpApp(trustedProxies, isPublic ? links() : undefined);
    if (isPublic) app.get("/open", openPageHandler());
    app.use(securityHeaders());
    mountMonitoring(app, { readiness, version: { version }, registry, rateLimiter }, listener);
    if (isPublic) {
      mountWebSnippet(app);
      const recordRead = createReadRecorder(parts.eventLog);
      const downloads = exportDownloads(readModels, databases.exporting, secrets.urlSigningKey, recordRead);
      app.all(downloadPath, observed(downloads, downloadPath, observeResponse));
    }
    const served = routes.filter(({ path }) => servesRoute(listener, path));
    const open = [...openEndpointsOf(listener), ...(isPublic ? [downloadEndpoint] : [])];
    const server = isPublic ? urls.baseUrl : urls.operationsUrl;
    mountDocuments(app, { routes: served, open, server, rateLimits }, version);
    mountRoutes(app, served, deps, shared);
    const paths = [...served, ...open].map(({ path }) => path);
    addErrorHandlers(app, deps, paths);
    return app;
  };
}
