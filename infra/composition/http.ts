import type { Express } from "express";
import { Counter, Gauge, type Registry } from "prom-client";
import { commandRoutes } from "../../commands/command-api.ts";
import { deviceKey } from "../../commands/derived-ids.ts";
import { readFile } from "../../commands/file-chunks.ts";
import { createKeyedRequests } from "../../commands/idempotency/keyed-requests.ts";
import type { Journals } from "../../commands/journals/journal.ts";
import { openPageHandler, redirectHandler } from "../../commands/link-serving/redirect-handler.ts";
import { problemOfCommandFailure } from "../../commands/problems.ts";
import { createTokenCheck } from "../../commands/tokens/token-check.ts";
import type { LogPosition } from "../../domain/event.ts";
import { uploadFileStream, uploadStream } from "../../domain/streams.ts";
import { uploadedCategories } from "../../projections/facts/queries.ts";
import type { GroupName } from "../../projections/projection.ts";
import { countOpenBesides } from "../../projections/report-tasks/queries.ts";
import { storedResults } from "../../projections/reports/results/result-pages.ts";
import type { PositionAsOf } from "../../read-api/as-of.ts";
import { contextFailure } from "../../read-api/prediction/context-errors.ts";
import { contextPath } from "../../read-api/prediction/context-route.ts";
import { downloadPath } from "../../read-api/raw-exports/signed-url.ts";
import { readRoutes, type UploadLog } from "../../read-api/read-api.ts";
import type { RateLimits } from "../config/rate-limits.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { languageOf } from "../http/i18n/content-language.ts";
import { problems } from "../http/response/problem.ts";
import { requestIdOf } from "../http/response/request-id.ts";
import { writeProblem, writeReply } from "../http/response/write-response.ts";
import { mountRoutes } from "../http/routing/mount-routes.ts";
import { createRateLimiter } from "../http/routing/rate-limits.ts";
import { addErrorHandlers } from "../http/server/error-handler.ts";
import { createHttpApp, securityHeaders } from "../http/server/http-app.ts";
import { measureAnswers, observed } from "../http/server/metrics.ts";
import { mountMonitoring, type Readiness } from "../http/server/monitoring-endpoints.ts";
import { serveByHost } from "../http/server/serve-by-host.ts";
import type { Log } from "../process/log.ts";
import { version } from "../process/version.ts";
import { createPositionAsOf } from "./as-of.ts";
import { exportDownloads } from "./exports.ts";
import { type Prediction, problemOfPredictionFailure } from "./prediction.ts";
import type { Databases, OpenReadModels } from "./read-models.ts";
import { reports } from "./report-modules.ts";
import { createMomentOf, createPositionOf } from "./report-moments.ts";

export interface Serving {
  readonly baseUrl: string;
  readonly linkBaseUrl: string;
  readonly adminToken: string;
  readonly urlSigningKey: string;
  readonly journals: Journals;
  /** Those that spool. */
  readonly spoolingJournals: Journals<LogPosition | null>;
  /** These and all others, for the metric of what waits. */
  readonly allJournals: readonly Pick<Journals, "depth">[];
  readonly registry: Registry;
  readonly readiness: () => Readiness;
  readonly rateLimits: RateLimits | "off";
  readonly trustedProxies: readonly string[];
}

/** The HTTP app of a process without the role `api`: health and metrics alone. */
export function serveMonitoring({ registry, readiness, trustedProxies }: Serving, log: Log): Express {
  const app = createHttpApp(trustedProxies);
  app.use(securityHeaders());
  mountMonitoring(app, { readiness, version: { version }, registry });
  addErrorHandlers(app, { failed: (failure, requestId) => log.error({ err: failure, requestId }, "a request failed") });
  return app;
}

/** Answers while the application starts: it is alive but not ready, and requests are to be retried. */
export function startingApp(registry: Registry): Express {
  const app = createHttpApp();
  const readiness = (): Readiness => ({ ready: false, checks: { start: { ok: false, detail: "not done yet" } } });
  app.use(securityHeaders());
  mountMonitoring(app, { readiness, version: { version }, registry });
  app.post(contextPath, (request, response) => {
    const caller = { requestId: requestIdOf(response), language: languageOf(request) };
    writeReply(request, response, contextFailure("SERVING_UNAVAILABLE", caller));
  });
  app.use((request, response) => writeProblem(request, response, problems.starting));
  return app;
}

/** An app with link serving, operations and both APIs (contract/http.md#hosts). */
export function serve(
  serving: Serving,
  eventLog: EventLog,
  { reading, exporting }: Pick<Databases, "reading" | "exporting">,
  readModels: OpenReadModels,
  prediction: Prediction,
  log: Log,
): Express {
  const { baseUrl, linkBaseUrl, journals, spoolingJournals, allJournals, registry, readiness, adminToken } = serving;
  const { apps, channels, links, bundles, contextSwitches, publishedModels, projector, models } = readModels;
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers: [registry] });
  const lostClicks = counter(
    "clicks_lost_total",
    "Clicks and impressions that were answered but could not be recorded.",
  );
  const unresolvedClicks = counter(
    "clicks_unresolved_total",
    "Visits below the address of links that name no link, guesses included.",
  );
  new Gauge({
    name: "journal_waiting_events",
    help: "Events that wait for the event store or are on their way to it.",
    registers: [registry],
    collect() {
      this.set(allJournals.reduce((sum, one) => sum + one.depth().events, 0));
    },
  });
  const answered = measureAnswers(registry);
  const visits = redirectHandler({
    findLink: links.find,
    findApp: apps.findAppById,
    spoolingJournals,
    journals,
    baseUrl,
    onClickLost: (reason) => {
      lostClicks.inc();
      log.error({ err: reason }, "a visit was answered but not written");
    },
    onUnresolvedClick: () => unresolvedClicks.inc(),
  });
  const rateLimiter = createRateLimiter(serving.rateLimits);
  const deps = {
    rateLimiter,
    authenticate: createTokenCheck(eventLog, adminToken),
    findApp: apps.findApp,
    findAppById: apps.findAppById,
    operatorConfigured: true,
    keyed: createKeyedRequests({ log: eventLog }),
    passed: (group: GroupName, position: bigint, timeoutMs: number) =>
      projector.waitForPosition(group, { commit: position, prepare: position }, timeoutMs),
    problemOf: (failure: unknown) => problemOfPredictionFailure(failure) ?? problemOfCommandFailure(failure),
    failed: (failure: unknown, requestId: string) => log.error({ err: failure, requestId }, "a request failed"),
    answered,
  };
  const app = createHttpApp(
    serving.trustedProxies,
    serveByHost({ baseUrl, linkBaseUrl }, observed(visits, "links", answered)),
  );
  app.get("/open", openPageHandler());
  app.use(securityHeaders());
  mountMonitoring(app, { readiness, version: { version }, registry });
  const routes = [
    ...commandRoutes({
      log: eventLog,
      journals,
      apps,
      channels,
      links,
      bundles,
      scoring: prediction.scoring,
      linkBaseUrl,
      rateLimiter,
      uploadedMetrics: async (appId, position) => uploadedCategories(await models.live("facts"), appId, position),
      openReportsBesides: async (taskId, most) => countOpenBesides(await models.live("report_tasks"), taskId, most),
      reports,
      momentOf: createMomentOf({ db: reading, log: eventLog }),
      onContextSwitched: contextSwitches.forget,
      onConversionValuesChanged: publishedModels.forget,
    }),
    ...readRoutes({
      live: models.live,
      reports,
      results: storedResults(reading),
      positionOf: createPositionOf(eventLog),
      uploadLog: readUploadLog(eventLog, createPositionAsOf({ db: reading, log: eventLog, passed: deps.passed })),
      conversionValues: {
        findAppByStoreId: apps.findAppByStoreId,
        publishedModelOf: publishedModels.get,
        positionAsOf: createPositionAsOf({ db: reading, log: eventLog, passed: deps.passed, group: "control" }),
      },
      prediction,
      deviceKey,
      baseUrl,
      linkBaseUrl,
      urlSigningKey: serving.urlSigningKey,
    }),
  ];
  app.all(
    downloadPath,
    observed(exportDownloads(readModels, exporting, serving.urlSigningKey), downloadPath, answered),
  );
  mountRoutes(app, routes, deps);
  addErrorHandlers(app, deps);
  return app;
}

/** What the read API reads of uploads in the log. */
export function readUploadLog(log: Pick<EventLog, "read">, positionAsOf: PositionAsOf): UploadLog {
  return {
    uploadEvents: (requestId) => log.read(uploadStream(requestId)),
    uploadedFile: (requestId, sha256) => readFile(log, uploadFileStream(requestId), sha256),
    positionAsOf,
  };
}
