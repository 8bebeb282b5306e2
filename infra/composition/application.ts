import { join } from "node:path";
import { Registry } from "prom-client";
import type { Config } from "../config/config.ts";
import { openDataDirectory } from "../data-directory/data-directory.ts";
import { watchFreeSpace } from "../data-directory/free-space.ts";
import { type RunFile, removeRunFile, writeRunFile } from "../data-directory/run-file.ts";
import { openSecrets } from "../data-directory/secrets.ts";
import { eventStoreUrl } from "../event-log/event-store-access.ts";
import { measureProcess } from "../http/server/response-metrics.ts";
import { closeSilentConnections } from "../postgres/close-silent-connections.ts";
import { bindPort } from "../process/bind-port.ts";
import { watchHealth } from "../process/health.ts";
import { openingPart, type Part } from "../process/lifecycle.ts";
import type { Log } from "../process/log.ts";
import { version } from "../process/version.ts";
import { requireSoundSpool } from "../spool/check-spool.ts";
import { closeDatabases, openDatabases, openPostgres } from "./connection-pools.ts";
import { claimStreams, openEventLog, openEventStore } from "./event-log.ts";
import { openHttp } from "./http.ts";
import { startingApp } from "./http-apps.ts";
import { startReactors } from "./reactors.ts";
import { openReadModels } from "./read-models.ts";
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

/** The composition root: the parts from the log outwards, as in the picture of the README. */
export function compose(config: Config, log: Log, { fail, ready }: Surroundings): Composition {
  const registry = new Registry();

  // The process: its port, its files, its secrets.
  const server = openingPart(
    "port",
    () => {
      const listener = config.operationsPort === null ? "only" : "public";
      return bindPort(startingApp(config, registry, listener), config, listener);
    },
    (opened, drainOver) => opened.close(drainOver),
  );
  const operations = openingPart(
    "operations port",
    async () => {
      const { host, operationsPort: port } = config;
      if (port === null) return null;
      return bindPort(startingApp(config, registry, "operations"), { host, port }, "operations");
    },
    async (opened, drainOver) => opened?.close(drainOver),
  );
  const directory = openingPart(
    "data directory",
    () => openDataDirectory(config.dataDirectory),
    (opened) => opened.close(),
  );
  const secrets = openingPart("secrets", () => openSecrets(config, directory.opened().path), nothingToClose);
  const webhooks = () => ({
    signingKey: secrets.opened().urlSigningKey,
    allowsPrivate: config.webhookPrivateNetworks,
  });

  // The event log, and the spool for clicks and impressions that it does not take in time.
  const eventStore = openingPart(
    "event store",
    () => openEventStore(config, directory.opened().path, fail),
    (opened) => opened.close(),
  );
  const eventLog = openingPart(
    "event log",
    () => openEventLog(eventStore.opened(), config.eventStoreUrl === null ? directory.opened().path : null, log),
    (opened) => opened.log.close(),
  );
  const spool = openingPart(
    "spool",
    async () => {
      const limits = { limitBytes: config.spoolLimitBytes, reserveBytes: config.diskReserveBytes };
      const options = { directory: join(directory.opened().path, "spool"), ...limits };
      await requireSoundSpool(options.directory);
      return startSpool(eventLog.opened(), options, registry, log);
    },
    (opened, drainOver) => opened.stop(drainOver),
  );

  // Projections: read models in Postgres.
  const postgres = openingPart(
    "postgres",
    () => openPostgres(config, directory.opened().path, fail, log),
    (opened) => opened.stop(),
  );
  const databases = openingPart(
    "databases",
    () => openDatabases(postgres.opened().connectionString),
    (opened) => closeDatabases(opened),
  );
  const silentConnections = openingPart(
    "silent connections",
    async () => {
      const pools = databases.opened();
      return closeSilentConnections({ probe: pools.probing, pools: Object.values(pools), log });
    },
    async (opened) => opened.stop(),
  );
  const readModels = openingPart(
    "read models",
    async () => {
      if (config.eventStoreUrl !== null) await claimStreams(eventLog.opened().log, databases.opened().projecting);
      const opened = openReadModels(eventLog.opened().log, databases.opened(), config.roles.has("worker"), log);
      await opened.start();
      return opened;
    },
    (opened) => opened.projector.stop(),
  );

  // Commands: the reactors.
  const reactors = openingPart(
    "reactors",
    async () => {
      if (!config.roles.has("worker")) return { stop: nothingToClose };
      return startReactors(eventLog.opened().log, databases.opened(), readModels.opened(), webhooks(), registry, log);
    },
    (opened) => opened.stop(),
  );

  // Commands and read API: HTTP.
  const health = openingPart(
    "health",
    async () => {
      measureProcess(registry);
      const watched = watchHealth({
        check: readModels.opened().projector.status,
        isUp: ready,
        servesRequests: config.roles.has("api"),
        disk: watchFreeSpace(directory.opened().path, config.diskReserveBytes),
        registry,
      });
      watched.start();
      return watched;
    },
    (opened) => opened.stop(),
  );
  const http = openingPart(
    "http",
    async () =>
      openHttp(config, {
        mainServer: server.opened(),
        operationsServer: operations.opened(),
        eventLog: eventLog.opened().log,
        ...spool.opened(),
        databases: databases.opened(),
        readModels: readModels.opened(),
        secrets: secrets.opened(),
        webhooks: webhooks(),
        readiness: health.opened().readiness,
        registry,
        log,
      }),
    (opened, drainOver) => opened.close(drainOver),
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
        eventStreamPrefix: config.eventStreamPrefix,
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
      operations,
      directory,
      secrets,
      eventStore,
      eventLog,
      spool,
      postgres,
      databases,
      silentConnections,
      readModels,
      reactors,
      health,
      http,
      runFile,
    ],
    started: () => ({ run: runFile.opened(), hasNewAdminToken: secrets.opened().adminToken.isNew }),
  };
}
