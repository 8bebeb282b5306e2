import { join } from "node:path";
import type { Express } from "express";
import type { Knex } from "knex";
import { Counter, Gauge, Registry } from "prom-client";
import { type AppDirectory, createAppDirectory } from "../commands/apps/app-directory.ts";
import { type ChannelDirectory, createChannelDirectory } from "../commands/channels/channel-directory.ts";
import { commandRoutes } from "../commands/command-api.ts";
import { deviceKey } from "../commands/derived-ids.ts";
import { createJournals, type Journals } from "../commands/journal.ts";
import { openLog as openEventLog } from "../commands/open-log.ts";
import { problemOfCommandFailure } from "../commands/problems.ts";
import { runReports } from "../commands/report-tasks/report-runner.ts";
import { createTokenCheck } from "../commands/tokens/token-check.ts";
import { linkServer, openPageHandler } from "../commands/touchpoints/link-server.ts";
import { createLinkMemory, type LinkMemory } from "../commands/tracking-links/link-memory.ts";
import { appsProjection } from "../projections/apps/projection.ts";
import { facts } from "../projections/facts/projection.ts";
import type { GroupName, Projection, ReadModels } from "../projections/projection.ts";
import { createProjector, type Projector } from "../projections/projector.ts";
import { createReadModels } from "../projections/read-models.ts";
import { reportTasksProjection } from "../projections/report-tasks/projection.ts";
import { openReportTasks, type ReportTaskRow, succeededReportTasks } from "../projections/report-tasks/queries.ts";
import { computeAndStore, hasUndecided } from "../projections/reports/report-run.ts";
import { storedResults } from "../projections/reports/result-pages.ts";
import { askedAgain, createReportStore } from "../projections/reports/stored-rows.ts";
import { holdRole, requireEpoch } from "../projections/role.ts";
import { trackingLinksProjection } from "../projections/tracking-links/projection.ts";
import { trackingLinkById } from "../projections/tracking-links/queries.ts";
import { readRoutes } from "../read-api/read-api.ts";
import { type Config, publicUrls } from "./config.ts";
import { openDataDirectory } from "./data-directory/data-directory.ts";
import { type RunFile, removeRunFile, writeRunFile } from "./data-directory/run-file.ts";
import { keptSecret, openSecrets } from "./data-directory/secrets.ts";
import { startEmbeddedEventStore } from "./event-log/embedded/event-store.ts";
import type { EventLog } from "./event-log/event-log.ts";
import { createEventLog } from "./event-log/eventstore-event-log.ts";
import { eventStoreAccess, eventStoreUrl } from "./event-store-access.ts";
import { freePort } from "./free-port.ts";
import { watchHealth } from "./health.ts";
import { endHttpApp } from "./http/end-http-app.ts";
import { createHttpApp, securityHeaders } from "./http/http-app.ts";
import { listen } from "./http/http-server.ts";
import { measureAnswers, measureProcess } from "./http/metrics.ts";
import { mountRoutes } from "./http/mount-routes.ts";
import { mountOperations, type Readiness } from "./http/operations.ts";
import { serveByHost } from "./http/serve-by-host.ts";
import { openingPart, type Part } from "./lifecycle.ts";
import type { Log } from "./log.ts";
import { openDatabase } from "./postgres/database.ts";
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
const logDeadlineMs = 5_000;
/** The longest that a query of the read API may take. */
const queryTimeoutMs = 15_000;
const lookAgainMs = 1_000;

/** The composition root: the only place that knows every part. */
export function compose(config: Config, log: Log, { fail, ready }: Surroundings): Composition {
  const registry = new Registry();
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
  const eventLog = openingPart(
    "event log",
    async () => {
      const onTrouble = (error: Error): void => log.warn({ err: error }, "a subscription has lost the event store");
      const opened = createEventLog({ ...eventStore.opened(), deadlineMs: logDeadlineMs, onTrouble });
      await openEventLog(opened, new Date().toISOString());
      return opened;
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
  const databases = openingPart(
    "databases",
    async () => openDatabases(postgres.opened().connectionString),
    async ({ reading, projecting, reporting }) => {
      await Promise.all([reading.destroy(), projecting.destroy(), reporting.destroy()]);
    },
  );

  const house = openingPart(
    "read models",
    async () => {
      const opened = openHouse(eventLog.opened(), databases.opened(), log);
      await opened.projector.start();
      return opened;
    },
    (opened) => opened.projector.stop(),
  );
  const reactors = openingPart(
    "reactors",
    async () => startReactors(eventLog.opened(), databases.opened(), house.opened(), log),
    (opened) => opened.stop(),
  );

  const health = openingPart(
    "health",
    async () => {
      measureProcess(registry);
      const watched = watchHealth(house.opened().projector.status, ready, registry);
      watched.start();
      return watched;
    },
    (opened) => opened.stop(),
  );
  const http = openingPart(
    "http",
    async () => {
      const port = config.port === 0 ? await freePort(config.host ?? "127.0.0.1") : config.port;
      const urls = publicUrls(config, port);
      const app = createHttpApp(config.trustedProxies);
      const journals = createJournals(eventLog.opened());
      const adminToken = secrets.opened().adminToken.text;
      const serving = { ...urls, journals, registry, adminToken, readiness: health.opened().readiness };
      serve(app, serving, eventLog.opened(), databases.opened().reading, house.opened(), log);
      const server = await listen(app, { host: config.host, port });
      return { port, urls, server, journals };
    },
    async ({ server, journals }, drainOver) => {
      await server.close(drainOver);
      await journals.drain();
    },
  );

  const runFile = openingPart(
    "run file",
    async () => {
      const { port, urls } = http.opened();
      const run: RunFile = {
        pid: process.pid,
        startedAt: new Date().toISOString(),
        version,
        port,
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
    parts: [directory, secrets, eventStore, eventLog, postgres, databases, house, reactors, health, http, runFile],
    started: () => ({ run: runFile.opened(), hasNewAdminToken: secrets.opened().adminToken.isNew }),
  };
}

/** Connections by what they are for, so that none can take those of another. */
interface Databases {
  readonly reading: Knex;
  readonly projecting: Knex;
  readonly reporting: Knex;
}

function openDatabases(connectionString: string): Databases {
  const open = (applicationName: string, max: number, more: object): Knex =>
    openDatabase(connectionString, { applicationName: `touchledger ${applicationName}`, max, ...more });
  return {
    reading: open("read api", 10, { statementTimeoutMs: queryTimeoutMs }),
    projecting: open("projections", 8, { synchronousCommit: "off" }),
    reporting: open("reactors", 8, {}),
  };
}

/** What the write side knows by heart and the read side has projected: all of it fed by one tail of the log. */
interface House {
  readonly apps: AppDirectory;
  readonly channels: ChannelDirectory;
  readonly links: LinkMemory;
  readonly projector: Projector;
  readonly models: ReadModels;
}

function openHouse(eventLog: EventLog, { reading, projecting }: Databases, log: Log): House {
  const models = createReadModels(reading, projections);
  const apps = createAppDirectory(eventLog);
  const channels = createChannelDirectory(eventLog);
  const storedLink = async (linkId: number) => trackingLinkById(await models.live("tracking_links"), linkId);
  const links = createLinkMemory({ log: eventLog, storedLink });
  const listeners = [apps.apply, channels.apply, links.apply];
  const projector = createProjector({ db: projecting, log: eventLog, projections, listeners, engineLog: log });
  return { apps, channels, links, projector, models };
}

/** The reactors, one of each in a deployment. */
async function startReactors(
  eventLog: EventLog,
  { projecting, reporting }: Databases,
  { apps, projector }: House,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  await createReportStore(reporting);
  const stopping = new AbortController();
  const models = createReadModels(reporting, projections);
  const hasPassed = (group: GroupName, position: bigint, timeoutMs: number) =>
    projector.hasPassed(group, { commit: position, prepare: position }, timeoutMs);
  /** To-do lists that are being rebuilt show what was done long ago (design 5). */
  const untilCaughtUp = async (signal: AbortSignal): Promise<void> => {
    const head = await eventLog.headPosition();
    for (const group of ["control", "facts"] as const) {
      while (!signal.aborted && !(await projector.hasPassed(group, head, lookAgainMs)));
    }
  };
  const reports = holdRole(projecting, "reports", stopping.signal, log, async ({ epoch, signal }) => {
    await untilCaughtUp(signal);
    await runReports<ReportTaskRow>(
      {
        log: eventLog,
        openTasks: async (most) => openReportTasks(await models.live("report_tasks"), most),
        lostTasks: async (most) =>
          succeededReportTasks(await models.live("report_tasks"), await askedAgain(reporting, most)),
        factsHavePassed: (position) => hasPassed("facts", position, 0),
        hasUndecided: async (appId, position) => hasUndecided(await models.live("facts"), appId, position),
        run: async (task) => {
          const app = await apps.findAppById(task.appId);
          if (app === null) throw new Error(`Report ${task.taskId} is of an unknown app`);
          const guard = (trx: Knex.Transaction) => requireEpoch(trx, "reports", epoch);
          return computeAndStore(await models.live("facts"), reporting, { ...task, currency: app.currency }, guard);
        },
        failed: (failure, taskId) => log.error({ err: failure, taskId }, "a report could not be run; trying again"),
        now: () => new Date(),
      },
      signal,
    );
  });
  return {
    stop: async () => {
      stopping.abort();
      await reports;
    },
  };
}

interface Serving {
  readonly baseUrl: string;
  readonly linkBaseUrl: string;
  readonly adminToken: string;
  readonly journals: Journals;
  readonly registry: Registry;
  readonly readiness: () => Readiness;
}

/** Link serving, operations and both APIs on one app (D1.1). */
function serve(app: Express, serving: Serving, eventLog: EventLog, reading: Knex, house: House, log: Log): void {
  const { baseUrl, linkBaseUrl, journals, registry, readiness, adminToken } = serving;
  const { apps, channels, links, projector, models } = house;
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers: [registry] });
  const lostClicks = counter(
    "clicks_lost_total",
    "Clicks whose visitors were sent on although they could not be written.",
  );
  const unresolvedClicks = counter("clicks_unresolved_total", "Visits to links that do not exist.");
  registry.registerMetric(
    new Gauge({
      name: "journal_waiting_events",
      help: "Events that wait for the event store or are on their way to it.",
      registers: [],
      collect() {
        this.set(journals.depth().events);
      },
    }),
  );
  const visits = linkServer({
    findLink: async (linkId) => links.find(linkId),
    findApp: apps.findAppById,
    journals,
    baseUrl,
    onClickLost: (reason) => {
      lostClicks.inc();
      log.error({ err: reason }, "a click was answered but not written");
    },
    onUnresolvedClick: () => unresolvedClicks.inc(),
  });
  const deps = {
    authenticate: createTokenCheck(eventLog, adminToken),
    findApp: apps.findApp,
    findAppById: apps.findAppById,
    operatorConfigured: true,
    passed: (group: GroupName, position: bigint, timeoutMs: number) =>
      projector.hasPassed(group, { commit: position, prepare: position }, timeoutMs),
    problemOf: problemOfCommandFailure,
    failed: (failure: unknown, requestId: string) => log.error({ err: failure, requestId }, "a request failed"),
    answered: measureAnswers(registry),
  };
  app.use(serveByHost({ baseUrl, linkBaseUrl }, visits));
  app.get("/open", openPageHandler());
  app.use(securityHeaders());
  mountOperations(app, { readiness, version: { version }, registry });
  const routes = [
    ...commandRoutes({ log: eventLog, journals, apps, channels, links, linkBaseUrl }),
    ...readRoutes({ live: models.live, results: storedResults(reading), deviceKey, baseUrl, linkBaseUrl }),
  ];
  mountRoutes(app, routes, deps);
  endHttpApp(app, deps);
}
