import { join } from "node:path";
import { Registry } from "prom-client";
import { appsProjection } from "../projections/apps/projection.ts";
import { facts } from "../projections/facts/projection.ts";
import type { Projection } from "../projections/projection.ts";
import { reportTasksProjection } from "../projections/report-tasks/projection.ts";
import { trackingLinksProjection } from "../projections/tracking-links/projection.ts";
import { type Config, publicUrls } from "./config.ts";
import { openDataDirectory } from "./data-directory/data-directory.ts";
import { type RunFile, removeRunFile, writeRunFile } from "./data-directory/run-file.ts";
import { keptSecret, openSecrets } from "./data-directory/secrets.ts";
import { startEmbeddedEventStore } from "./event-log/embedded/event-store.ts";
import { eventStoreAccess, eventStoreUrl } from "./event-store-access.ts";
import { freePort } from "./free-port.ts";
import { createHttpApp, securityHeaders } from "./http/http-app.ts";
import { listen } from "./http/http-server.ts";
import { measureProcess } from "./http/metrics.ts";
import { mountOperations } from "./http/operations.ts";
import { openingPart, type Part } from "./lifecycle.ts";
import type { Log } from "./log.ts";
import { startPostgres } from "./postgres/server.ts";
import { version } from "./version.ts";

/** Every read model. */
export const projections: readonly Projection[] = [
  appsProjection,
  trackingLinksProjection,
  reportTasksProjection,
  facts,
];

/** What the parts may ask of the process around them. */
export interface Surroundings {
  /** Ends the process in order, with exit 1: for a part that has failed while running. */
  fail(failure: Error): void;
  /** Whether everything runs and no stop was asked for. */
  ready(): boolean;
}

export interface Composition {
  /** In the order in which they start. */
  readonly parts: readonly Part[];
  /** Once all parts run. */
  started(): { readonly run: RunFile; readonly hasNewAdminToken: boolean };
}

const nobody = async (): Promise<void> => {};

/** The composition root: the only place that knows every part. */
export function compose(config: Config, log: Log, { fail, ready }: Surroundings): Composition {
  const directory = openingPart(
    "data directory",
    () => openDataDirectory(config.dataDirectory),
    (opened) => opened.close(),
  );
  const secrets = openingPart("secrets", () => openSecrets(config, directory.opened().path), nobody);

  const eventStore = openingPart(
    "event store",
    async () => {
      if (config.eventStoreUrl !== null) return { ...eventStoreAccess(config.eventStoreUrl), close: nobody };
      const path = join(directory.opened().path, "event-store");
      const password = await keptSecret(directory.opened().path, "event-store-password");
      const credential = { username: "touchledger", password: password.text };
      return { ...credential, ...(await startEmbeddedEventStore({ directory: path, ...credential }, fail)) };
    },
    (opened) => opened.close(),
  );
  const postgres = openingPart(
    "postgres",
    async () => {
      if (config.databaseUrl !== null) return { connectionString: config.databaseUrl, stop: nobody };
      return startPostgres({ directory: join(directory.opened().path, "postgres"), log, onFailure: fail });
    },
    (opened) => opened.stop(),
  );

  const http = openingPart(
    "http",
    async () => {
      const port = config.port === 0 ? await freePort(config.host ?? "127.0.0.1") : config.port;
      const registry = new Registry();
      measureProcess(registry);
      const app = createHttpApp(config.trustedProxies).use(securityHeaders());
      mountOperations(app, { readiness: () => ({ ready: ready(), checks: {} }), version: { version }, registry });
      return listen(app, { host: config.host, port });
    },
    (server, drainOver) => server.close(drainOver),
  );

  const runFile = openingPart(
    "run file",
    async () => {
      const { port } = http.opened();
      const run: RunFile = {
        pid: process.pid,
        startedAt: new Date().toISOString(),
        version,
        port,
        ...publicUrls(config, port),
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
    parts: [directory, secrets, eventStore, postgres, http, runFile],
    started: () => ({ run: runFile.opened(), hasNewAdminToken: secrets.opened().adminToken.isNew }),
  };
}
