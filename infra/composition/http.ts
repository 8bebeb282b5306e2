import type { Express, RequestHandler } from "express";
import { Counter, Gauge, type Registry } from "prom-client";
import { createReadRecorder } from "../../commands/audit/record-read.ts";
import { commandRoutes } from "../../commands/command-api.ts";
import { deviceKey } from "../../commands/derived-ids.ts";
import { readFile } from "../../commands/file-chunks.ts";
import { createKeyedRequests } from "../../commands/idempotency/keyed-requests.ts";
import { createJournals, JournalFull, type Journals } from "../../commands/journals/journal.ts";
import { tracedJournals } from "../../commands/journals/traced-journals.ts";
import { appAssociations } from "../../commands/link-serving/app-associations.ts";
import { linkHandler, openPageHandler } from "../../commands/link-serving/link-handler.ts";
import { causeOf } from "../../commands/metadata.ts";
import { problemOfCommandFailure } from "../../commands/rejection-statuses.ts";
import { createTokenCheck } from "../../commands/tokens/token-check.ts";
import { notingUses, type TokenUseRecorder } from "../../commands/tokens/token-uses.ts";
import type { LogPosition } from "../../domain/event.ts";
import { passedPosition } from "../../projections/engine/checkpoints/checkpoint.ts";
import { logClockReader } from "../../projections/engine/checkpoints/log-clock.ts";
import { uploadedCategories } from "../../projections/facts/queries.ts";
import type { GroupName } from "../../projections/projection.ts";
import { ReadModelNotReady } from "../../projections/read-models.ts";
import { countOpenAtRequest } from "../../projections/report-tasks/queries.ts";
import { storedResults } from "../../projections/reports/results/result-pages.ts";
import { contextNotServedYet, contextPath } from "../../read-api/prediction/context-route.ts";
import { downloadEndpoint } from "../../read-api/raw-exports/docs.ts";
import { downloadPath } from "../../read-api/raw-exports/signed-url.ts";
import { readRoutes } from "../../read-api/read-api.ts";
import { apiUrl, type Config, localUrl, publicUrls } from "../config/config.ts";
import type { RunFile } from "../data-directory/run-file.ts";
import type { Secrets } from "../data-directory/secrets.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { createAsOfResolver, createPositionAsOf, createPositionOf } from "../event-log/log-moments.ts";
import { mountDocuments } from "../http/openapi/mount-documents.ts";
import { openEndpointsOf } from "../http/openapi/open-endpoints.ts";
import { problems } from "../http/response/problem.ts";
import { writeProblem } from "../http/response/write-response.ts";
import { createSharedState, mountRoutes } from "../http/routing/mount-routes.ts";
import { createRateLimiter, limitsOf, type RateLimiter } from "../http/routing/rate-limiter.ts";
import type { Passed } from "../http/routing/read-your-writes.ts";
import type { Route } from "../http/routing/route.ts";
import { addErrorHandlers } from "../http/server/error-handler.ts";
import { createHttpApp, securityHeaders } from "../http/server/http-app.ts";
import type { HttpServer } from "../http/server/http-server.ts";
import { type Listener, servesPublic, servesRoute } from "../http/server/listeners.ts";
import { measureResponses, observed } from "../http/server/metrics.ts";
import { mountMonitoring, type Readiness } from "../http/server/monitoring-endpoints.ts";
import { type PublicUrls, serveByHost } from "../http/server/serve-by-host.ts";
import { mountWebSnippet } from "../http/server/web-snippet.ts";
import type { Log } from "../process/log.ts";
import { createSecurityLog } from "../process/security-log.ts";
import { version } from "../process/version.ts";
import { attributionReader } from "./attribution-reader.ts";
import { currentChannelMonths } from "./channel-months.ts";
import { exportDownloads } from "./exports.ts";
import { openPrediction, type Prediction, problemOfPredictionFailure } from "./prediction.ts";
import type { Databases, OpenReadModels } from "./read-models.ts";
import { registeredChannelsReader } from "./registered-channels.ts";
import { reports } from "./report-modules.ts";
import { openTokenUses } from "./token-uses.ts";
import { type WebhookSettings, webhookRouteDeps } from "./webhooks.ts";

/** Shorter than the deadline of the log, so that a batch is given up together with its first append that times out. */
const journalRetryMs = 2_000;

/** Dependencies of the HTTP apps. */
export interface HttpParts {
  readonly mainServer: HttpServer;
  /** Null: the main server serves operations too. */
  readonly operationsServer: HttpServer | null;
  readonly eventLog: EventLog;
  readonly spoolingJournals: Journals<LogPosition | null>;
  readonly databases: Databases;
  readonly readModels: OpenReadModels;
  readonly secrets: Secrets;
  readonly webhooks: WebhookSettings;
  readonly readiness: () => Readiness;
  readonly registry: Registry;
  readonly log: Log;
}

/** Settings of every app: whose addresses of clients are trusted, and how much each may call. */
type EdgeSettings = Pick<Config, "trustedProxies" | "rateLimits">;

export interface OpenHttp {
  readonly urls: PublicUrls & Pick<RunFile, "apiUrl" | "operationsUrl">;
  /** Ends requests, and appends the events queued in journals. */
  close(drainOver: AbortSignal): Promise<void>;
}

/** Serves links, operations and both APIs; health and metrics alone in a process without the role `api`. */
export function openHttp(config: Config, parts: HttpParts): OpenHttp {
  const { mainServer, operationsServer } = parts;
  const serve = (appOf: (listener: Listener) => Express): void => {
    mainServer.serve(appOf(operationsServer === null ? "only" : "public"));
    operationsServer?.serve(appOf("operations"));
  };
  const closeListeners = async (drainOver: AbortSignal): Promise<void> => {
    await Promise.all([mainServer.close(drainOver), operationsServer?.close(drainOver)]);
  };
  const local = apiUrl(config, mainServer.port);
  const operationsUrl = operationsServer === null ? local : localUrl(config, operationsServer.port);
  const urls = { ...publicUrls(config, mainServer.port), apiUrl: local, operationsUrl };
  if (!config.roles.has("api")) {
    serve(monitoringApps(config, parts));
    return { urls, close: closeListeners };
  }
  const { eventLog, spoolingJournals, databases, readModels, registry, log } = parts;
  const journals = tracedJournals(createJournals(eventLog, { retryForMs: journalRetryMs }));
  // Calls that were scored in one batch are recorded in one.
  const callJournals = tracedJournals(createJournals(eventLog, { retryForMs: journalRetryMs, startsNextTurn: true }));
  const allJournals = [journals, spoolingJournals, callJournals];
  measureJournals(allJournals, registry);
  const { lookingUp } = databases;
  const prediction = openPrediction({ eventLog, ...readModels, callJournals, lookingUp, registry, log });
  const tokenUses = openTokenUses(databases.reading, log);
  serve(apiApps(config, { ...parts, urls, journals, prediction, tokenUses }));
  return {
    urls,
    close: async (drainOver) => {
      await closeListeners(drainOver);
      await prediction.close();
      await tokenUses.close();
      await Promise.all(allJournals.map((one) => one.drain()));
    },
  };
}

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

function monitoringApps(
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

interface ApiParts extends HttpParts {
  readonly urls: OpenHttp["urls"];
  readonly journals: Journals;
  readonly prediction: Prediction;
  readonly tokenUses: TokenUseRecorder;
}

/** Returns a function that builds the app of a listener: links, operations and both APIs (contract/http.md#hosts). */
function apiApps({ trustedProxies, rateLimits }: EdgeSettings, parts: ApiParts): (listener: Listener) => Express {
  const { urls, readiness, registry, databases, readModels, secrets } = parts;
  const observeResponse = measureResponses(registry);
  const rateLimiter = createRateLimiter(rateLimits);
  const deps = { ...routeDeps(parts), rateLimiter, observeResponse };
  const routes = [...commandRoutesOf(parts, deps.passed, rateLimiter), ...readRoutesOf(parts, deps.passed, rateLimits)];
  const shared = createSharedState(deps.passed);

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

function serveLinks(parts: ApiParts, rateLimiter: RateLimiter | null): RequestHandler {
  const { readModels, spoolingJournals, journals, urls, registry, log } = parts;
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers: [registry] });
  const lostClicks = counter(
    "clicks_lost_total",
    "Clicks and impressions that were responded to but could not be recorded.",
  );
  const unresolvedClicks = counter(
    "clicks_unresolved_total",
    "Requests below the address of links that name no link, guesses included.",
  );
  return linkHandler({
    links: readModels.links,
    rateLimiter,
    findApp: (appId) => readModels.apps.knownApp(appId) ?? readModels.apps.findAppById(appId),
    spoolingJournals,
    journals,
    baseUrl: urls.baseUrl,
    onClickLost: (reason) => {
      lostClicks.inc();
      log.error({ err: reason }, "a click or impression was responded to but not recorded");
    },
    onUnresolvedClick: () => unresolvedClicks.inc(),
  });
}

/** Dependencies of every route. */
function routeDeps(parts: ApiParts) {
  const { eventLog, readModels, secrets, tokenUses } = parts;
  const { apps, projector } = readModels;
  return {
    authenticate: notingUses(createTokenCheck(eventLog, secrets.adminToken.text), tokenUses),
    findApp: apps.findApp,
    findAppById: apps.findAppById,
    appNames: apps.appNames,
    operatorConfigured: true,
    keyed: createKeyedRequests({ log: eventLog }),
    passed: async (group: GroupName, position: bigint, timeoutMs: number) => {
      const inPostgres = projector.waitForPosition(group, { commit: position, prepare: position }, timeoutMs);
      const havePassed = await Promise.all([inPostgres, projector.waitForListeners(position, timeoutMs)]);
      return !havePassed.includes(false);
    },
    problemOf: (failure: unknown) => problemOfPredictionFailure(failure) ?? problemOfCommandFailure(failure),
    failed: failureLog(parts),
    secured: createSecurityLog(parts.log),
  };
}

function failureLog({ log }: Pick<HttpParts, "log">) {
  return (failure: unknown, requestId: string): void => {
    // Expected of every read while read models are built in an empty database, and of writes while the log is slow.
    const isExpected = failure instanceof ReadModelNotReady || failure instanceof JournalFull;
    if (isExpected) log.debug({ requestId }, failure.message);
    else log.error({ err: failure, requestId }, "a request failed");
  };
}

function commandRoutesOf(
  { eventLog, journals, readModels, databases, prediction, urls, webhooks }: ApiParts,
  passed: Passed,
  rateLimiter: RateLimiter | null,
): readonly Route[] {
  const { apps, channels, links, bundles, contextSwitches, publishedModels, models } = readModels;
  return commandRoutes({
    log: eventLog,
    journals,
    apps,
    channels,
    registeredChannels: registeredChannelsReader(models.live),
    links,
    bundles,
    scoring: prediction.scoring,
    ...urls,
    ...attributionReader(() => models.live("facts")),
    rateLimiter,
    uploadedMetrics: async (appId, position) => uploadedCategories(await models.live("facts"), appId, position),
    passed,
    openReportsAtRequest: async (position, max) => countOpenAtRequest(await models.live("report_tasks"), position, max),
    reports,
    resolveAsOf: createAsOfResolver({ clock: logClockReader(databases.reading), log: eventLog }),
    onContextSwitched: contextSwitches.forget,
    onConversionValuesChanged: publishedModels.forget,
    webhooks: webhookRouteDeps({ models, reading: databases.reading, ...webhooks }),
  });
}

function readRoutesOf(
  { eventLog, databases: { reading }, readModels, prediction, urls, secrets, tokenUses }: ApiParts,
  passed: Passed,
  rateLimits: Config["rateLimits"],
): readonly Route[] {
  const { apps, publishedModels, models } = readModels;
  const positionAsOf = (group: GroupName) =>
    createPositionAsOf({
      clock: logClockReader(reading),
      log: eventLog,
      passedPosition: () => passedPosition(reading, group),
      passed: (position, timeoutMs) => passed(group, position, timeoutMs),
    });
  return readRoutes({
    live: models.live,
    limitsOf: (principal) => limitsOf(rateLimits, principal),
    reports,
    results: storedResults(reading),
    positionOf: createPositionOf(eventLog),
    log: eventLog,
    readFile: (stream, sha256) => readFile(eventLog, stream, sha256),
    factsAsOf: positionAsOf("facts"),
    conversionValues: {
      findAppByStoreId: apps.findAppByStoreId,
      publishedModelOf: publishedModels.get,
      positionAsOf: positionAsOf("control"),
    },
    prediction,
    channelMonths: currentChannelMonths(() => models.live("facts")),
    lastUsesOf: tokenUses.lastUsesOf,
    recordRead: (read, request) => createReadRecorder(eventLog)(read, causeOf(request)),
    deviceKey,
    ...urls,
    urlSigningKey: secrets.urlSigningKey,
  });
}

function measureJournals(journals: readonly Pick<Journals, "depth">[], registry: Registry): void {
  new Gauge({
    name: "journal_waiting_events",
    help: "Events that wait for the event store or are on their way to it.",
    registers: [registry],
    collect() {
      this.set(journals.reduce((sum, one) => sum + one.depth().events, 0));
    },
  });
}
