import { join } from "node:path";
import { Registry } from "prom-client";
import { createJournals } from "../../commands/journals/journal.ts";
import { openLog as openEventLog } from "../../commands/open-log.ts";
import { type Config, publicUrls } from "../config/config.ts";
import { openDataDirectory } from "../data-directory/data-directory.ts";
import { type RunFile, removeRunFile, writeRunFile } from "../data-directory/run-file.ts";
import { keptSecret, openSecrets } from "../data-directory/secrets.ts";
import { startEmbeddedEventStore } from "../embedded-event-store/event-store.ts";
import { eventStoreAccess, eventStoreUrl } from "../event-log/event-store-access.ts";
import { createEventLog } from "../event-log/eventstore-event-log.ts";
import { measureProcess } from "../http/server/metrics.ts";
import { startPostgres } from "../postgres/server.ts";
import { bindPort } from "../process/bind-port.ts";
import { watchHealth } from "../process/health.ts";
import { openingPart, type Part } from "../process/lifecycle.ts";
import type { Log } from "../process/log.ts";
import { orStartupError } from "../process/startup-error.ts";
import { version } from "../process/version.ts";
import { serve, serveMonitoring, startingApp } from "./http.ts";
import { openPrediction } from "./prediction.ts";
import { startReactors } from "./reactors.ts";
import { openDatabases, openReadModels } from "./read-models.ts";
import { startSpool } from "./spool.ts";

/** The process around the parts. */
export interface Surroundings {
  /** Ends the process in order, with exit 1: for a part that has failed while running. */
  fail(failure: Error): void;
  /** Whether all parts run and no stop was requested. */
  ready(): boolean;
}

export interface Composition {
  /** In the order in which they start. */
  readonly parts: readonly Part[];
  /** Once all parts run. */
  started(): { readonly run: RunFile; readonly hasNewAdminToken: boolean };
}

const nothingToClose = async (): Promise<void> => {};
/** How long an append or a read may take; then the request fails with 503. */
const logDeadlineMs = 2_500;
/** Shorter than the deadline, so that a batch is given up together with its first append that times out. */
const journalRetryMs = 2_000;

/** The composition root: the parts from the log outwards, as in the picture of the README. */
export function compose(config: Config, log: Log, { fail, ready }: Surroundings): Composition {
  const registry = new Registry();
  const server = openingPart(
    "port",
    () => bindPort(startingApp(registry), config),
    (opened, drainOver) => opened.close(drainOver),
  );
  const directory = openingPart(
    "data directory",
    () => openDataDirectory(config.dataDirectory),
    (opened) => opened.close(),
  );
  const secrets = openingPart("secrets", () => openSecrets(config, directory.opened().path), nothingToClose);

  const eventStore = openingPart(
    "event store",
    async () => {
      if (config.eventStoreUrl !== null) return { ...eventStoreAccess(config.eventStoreUrl), close: nothingToClose };
      const path = join(directory.opened().path, "event-store");
      const password = await keptSecret(directory.opened().path, "event-store-password");
      const credential = { username: "touchledger", password: password.text };
      return { ...credential, ...(await startEmbeddedEventStore({ directory: path, ...credential }, fail)) };
    },
    (opened) => opened.close(),
  );
  const eventLog = openingPart(
    "event log",
    async () => {
      const onTrouble = (error: Error): void => log.warn({ err: error }, "a subscription has lost the event store");
      const opened = createEventLog({ ...eventStore.opened(), deadlineMs: logDeadlineMs, onTrouble });
      const logId = await orStartupError(
        "The event store cannot be used. Is EVENTSTORE_URL right, and does it run?",
        () => openEventLog(opened, new Date().toISOString()),
      );
      return { log: opened, logId };
    },
    (opened) => opened.log.close(),
  );
  const spool = openingPart(
    "spool",
    async () => {
      const options = { directory: join(directory.opened().path, "spool"), limitBytes: config.spoolLimitBytes };
      return startSpool(eventLog.opened(), options, registry, log);
    },
    (opened, drainOver) => opened.stop(drainOver),
  );
  const postgres = openingPart(
    "postgres",
    async () => {
      if (config.databaseUrl !== null) return { connectionString: config.databaseUrl, stop: nothingToClose };
      return startPostgres({ directory: join(directory.opened().path, "postgres"), log, onFailure: fail });
    },
    (opened) => opened.stop(),
  );
  const databases = openingPart(
    "databases",
    async () => {
      const opened = openDatabases(postgres.opened().connectionString);
      await orStartupError("Postgres cannot be used. Is DATABASE_URL right, and does it run?", () =>
        opened.reading.raw("select 1"),
      );
      return opened;
    },
    async (opened) => {
      await Promise.all(Object.values(opened).map((pool) => pool.destroy()));
    },
  );

  const readModels = openingPart(
    "read models",
    async () => {
      const opened = openReadModels(eventLog.opened().log, databases.opened(), config.roles.has("worker"), log);
      await Promise.all([opened.projector.start(), opened.apps.refresh(), opened.bundles.refresh()]);
      return opened;
    },
    (opened) => opened.projector.stop(),
  );
  const reactors = openingPart(
    "reactors",
    async () => {
      if (!config.roles.has("worker")) return { stop: nothingToClose };
      return startReactors(eventLog.opened().log, databases.opened(), readModels.opened(), registry, log);
    },
    (opened) => opened.stop(),
  );

  const health = openingPart(
    "health",
    async () => {
      measureProcess(registry);
      const watched = watchHealth(readModels.opened().projector.status, ready, registry);
      watched.start();
      return watched;
    },
    (opened) => opened.stop(),
  );
  const http = openingPart(
    "http",
    async () => {
      const urls = publicUrls(config, server.opened().port);
      const journals = createJournals(eventLog.opened().log, { retryFor: journalRetryMs });
      // Calls that were scored in one batch are recorded in one.
      const callJournals = createJournals(eventLog.opened().log, { retryFor: journalRetryMs, startsNextTurn: true });
      const { spoolingJournals } = spool.opened();
      const allJournals = [journals, spoolingJournals, callJournals];
      const { adminToken, urlSigningKey } = secrets.opened();
      const { rateLimits, trustedProxies } = config;
      const serving = {
        ...urls,
        journals,
        spoolingJournals,
        allJournals,
        registry,
        adminToken: adminToken.text,
        urlSigningKey,
        rateLimits,
        trustedProxies,
        readiness: health.opened().readiness,
      };
      if (!config.roles.has("api")) {
        server.opened().serve(serveMonitoring(serving, log));
        return { urls, allJournals, prediction: null };
      }
      const { lookingUp } = databases.opened();
      const parts = { eventLog: eventLog.opened().log, ...readModels.opened() };
      const prediction = openPrediction({ ...parts, callJournals, lookingUp, registry, log });
      server.opened().serve(serve(serving, parts.eventLog, databases.opened(), parts, prediction, log));
      return { urls, allJournals, prediction };
    },
    async ({ allJournals, prediction }, drainOver) => {
      await server.opened().close(drainOver);
      await prediction?.close();
      await Promise.all(allJournals.map((journals) => journals.drain()));
    },
  );

  const runFile = openingPart(
    "run file",
    async () => {
      const { urls } = http.opened();
      const run: RunFile = {
        pid: process.pid,
        startedAt: new Date().toISOString(),
        version,
        port: server.opened().port,
        ...urls,
        eventStoreUrl: eventStoreUrl(eventStore.opened()),
        databaseUrl: postgres.opened().connectionString,
        adminToken: secrets.opened().adminToken.text,
        adminTokenFile: secrets.opened().adminToken.file,
      };
      await writeRunFile(directory.opened().path, run);
      return run;
    },
    () => removeRunFile(directory.opened().path),
  );

  return {
    parts: [
      server,
      directory,
      secrets,
      eventStore,
      eventLog,
      spool,
      postgres,
      databases,
      readModels,
      reactors,
      health,
      http,
      runFile,
    ],
    started: () => ({ run: runFile.opened(), hasNewAdminToken: secrets.opened().adminToken.isNew }),
  };
}
