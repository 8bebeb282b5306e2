import type { Registry } from "prom-client";
import { createReadRecorder } from "../../commands/audit/record-read.ts";
import { commandRoutes } from "../../commands/command-api.ts";
import { deviceKey } from "../../commands/derived-ids.ts";
import { causeOf } from "../../commands/event-metadata.ts";
import { readFile } from "../../commands/file-chunks.ts";
import { StreamTooBusy } from "../../commands/handle-command.ts";
import { createKeyedRequests } from "../../commands/idempotency/keyed-requests.ts";
import { JournalFull, type Journals } from "../../commands/journals/journal.ts";
import { problemOfCommandFailure } from "../../commands/rejection-statuses.ts";
import { createTokenCheck } from "../../commands/tokens/token-check.ts";
import { notingUses, type TokenUseRecorder } from "../../commands/tokens/token-uses.ts";
import { type LogPosition, positionAtCommit } from "../../domain/event.ts";
import { passedPosition } from "../../projections/engine/checkpoints/checkpoint.ts";
import { logClockReader } from "../../projections/engine/checkpoints/log-clock.ts";
import { uploadedCategories } from "../../projections/facts/queries.ts";
import type { GroupName } from "../../projections/projection.ts";
import { ReadModelNotReady } from "../../projections/read-models.ts";
import { hadTurn } from "../../projections/report-tasks/queries.ts";
import { storedResults } from "../../projections/reports/results/result-pages.ts";
import { readRoutes } from "../../read-api/read-api.ts";
import type { Config } from "../config/config.ts";
import type { RunFile } from "../data-directory/run-file.ts";
import type { Secrets } from "../data-directory/secrets.ts";
import { createAsOfResolver, createPositionAsOf, createPositionOf } from "../event-log/as-of-positions.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { problems } from "../http/response/problem.ts";
import { problemOfFailure } from "../http/response/problem-of-failure.ts";
import { limitsOf, type RateLimiter } from "../http/routing/rate-limiter.ts";
import type { WaitForPosition } from "../http/routing/read-your-writes.ts";
import type { Route } from "../http/routing/route.ts";
import type { HttpServer } from "../http/server/http-server.ts";
import type { Readiness } from "../http/server/monitoring-endpoints.ts";
import type { PublicUrls } from "../http/server/serve-by-host.ts";
import { laterWithoutWaiting, limitLines } from "../process/limited-lines.ts";
import type { Log } from "../process/log.ts";
import { createSecurityLog } from "../process/security-log.ts";
import { currentChannelMonths } from "./channel-months.ts";
import type { Databases } from "./connection-pools.ts";
import { deferredLinkAttribution } from "./deferred-link-attribution.ts";
import { type Prediction, problemOfPredictionFailure } from "./prediction.ts";
import type { OpenReadModels } from "./read-models.ts";
import { registeredChannelsReader } from "./registered-channels.ts";
import { reports } from "./report-modules.ts";
import { type WebhookSettings, webhookRouteDeps } from "./webhooks.ts";

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

/** Where clients, and commands of this machine, reach the process. */
export type HttpUrls = PublicUrls & Pick<RunFile, "apiUrl" | "operationsUrl">;

/** Dependencies of the apps with the APIs. */
export interface ApiParts extends HttpParts {
  readonly urls: HttpUrls;
  readonly journals: Journals;
  readonly prediction: Prediction;
  readonly tokenUses: TokenUseRecorder;
}

/** What the routes of both APIs share. */
export function routeDeps(parts: ApiParts) {
  const { eventLog, readModels, secrets, tokenUses } = parts;
  const { apps, projector } = readModels;
  return {
    authenticate: notingUses(createTokenCheck(eventLog, secrets.adminToken.text), tokenUses),
    findApp: apps.findApp,
    findAppById: apps.findAppById,
    appNames: apps.appNames,
    operatorConfigured: true,
    keyed: createKeyedRequests({ log: eventLog }),
    waitForPosition: async (group: GroupName, position: bigint, timeoutMs: number) => {
      const inPostgres = projector.waitForPosition(group, positionAtCommit(position), timeoutMs);
      const havePassed = await Promise.all([inPostgres, projector.waitForListeners(position, timeoutMs)]);
      return !havePassed.includes(false);
    },
    problemOf: (failure: unknown) => problemOfPredictionFailure(failure) ?? problemOfCommandFailure(failure),
    failed: failureLog(parts),
    secured: createSecurityLog(parts.log),
  };
}

/**
 * Logs a failed request, unless its failure is expected. Of those that failed because a store was unavailable, ten a second
 * have a line with the reason.
 * @param later calls `work` after `ms`
 */
export function failureLog({ log }: Pick<HttpParts, "log">, later = laterWithoutWaiting) {
  const limited = limitLines<"unavailable">(
    (_kind, leftOut) => log.error({ leftOut }, "more requests failed: a store was unavailable"),
    later,
  );
  return (failure: unknown, requestId: string): void => {
    // Expected of every read while read models are built in an empty database, and of writes while the log is slow.
    const isExpected = failure instanceof ReadModelNotReady || failure instanceof JournalFull;
    if (isExpected) log.debug({ requestId }, failure.message);
    else if (failure instanceof StreamTooBusy) log.warn({ reason: failure.message, requestId }, "a request failed");
    else if (problemOfFailure(failure) !== problems.unavailable) {
      log.error({ err: failure, requestId }, "a request failed");
    } else {
      const reason = failure instanceof Error ? failure.message : String(failure);
      limited("unavailable", () => log.error({ reason, requestId }, "a request failed: a store was unavailable"));
    }
  };
}

/** The routes of commands, with what they need. */
export function commandRoutesOf(
  { eventLog, journals, readModels, databases, prediction, urls, webhooks }: ApiParts,
  waitForPosition: WaitForPosition,
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
    ...deferredLinkAttribution(() => models.live("facts")),
    rateLimiter,
    uploadedMetrics: async (appId, position) => uploadedCategories(await models.live("facts"), appId, position),
    waitForPosition,
    hadTurn: async (position) => hadTurn(await models.live("report_tasks"), position),
    reports,
    resolveAsOf: createAsOfResolver({ clock: logClockReader(databases.reading), log: eventLog }),
    onContextSwitched: contextSwitches.forget,
    onConversionValuesChanged: publishedModels.forget,
    webhooks: webhookRouteDeps({ models, reading: databases.reading, ...webhooks }),
  });
}

/** The routes of queries, with what they need. */
export function readRoutesOf(
  { eventLog, databases: { reading }, readModels, prediction, urls, secrets, tokenUses }: ApiParts,
  waitForPosition: WaitForPosition,
  rateLimits: Config["rateLimits"],
): readonly Route[] {
  const { apps, publishedModels, models } = readModels;
  const positionAsOf = (group: GroupName) =>
    createPositionAsOf({
      clock: logClockReader(reading),
      log: eventLog,
      passedPosition: () => passedPosition(reading, group),
      waitForPosition: (position, timeoutMs) => waitForPosition(group, position, timeoutMs),
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
    channelMonths: () => currentChannelMonths(() => models.live("facts")),
    lastUsesOf: tokenUses.lastUsesOf,
    recordRead: (read, request) => createReadRecorder(eventLog)(read, causeOf(request)),
    deviceKey,
    ...urls,
    urlSigningKey: secrets.urlSigningKey,
  });
}
