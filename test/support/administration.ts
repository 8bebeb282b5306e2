import { createAppDirectory } from "../../commands/apps/app-directory.ts";
import { administrationRoutes } from "../../commands/command-api.ts";
import { problemOfCommandFailure } from "../../commands/problems.ts";
import { createTokenCheck } from "../../commands/tokens/token-check.ts";
import type { LogPosition } from "../../domain/event.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { mountRoutes } from "../../infra/http/routing/mount-routes.ts";
import type { RateLimiter } from "../../infra/http/routing/rate-limits.ts";
import type { Route } from "../../infra/http/routing/route.ts";
import { endHttpApp } from "../../infra/http/server/error-handler.ts";
import { createHttpApp, securityHeaders } from "../../infra/http/server/http-app.ts";
import { listen } from "../../infra/http/server/http-server.ts";
import { openDatabase } from "../../infra/postgres/database.ts";
import { appsProjection } from "../../projections/apps/projection.ts";
import type { Projection, ReadModel } from "../../projections/projection.ts";
import { administrationReadRoutes } from "../../read-api/read-api.ts";
import { type Client, clientOf } from "./client.ts";
import { startTestLog } from "./event-store.ts";
import { testPostgres } from "./stores.ts";

export const adminToken = "operator-token-of-the-tests-0123456789";

export interface Administration {
  readonly call: Client;
  readonly port: number;
  readonly log: EventLog;
  /** What was answered with 500 or 503, in order. */
  readonly failures: readonly unknown[];
  /** Registers an app as the operator and answers its id and the texts of its tokens. */
  registerApp(name: string): Promise<{ readonly id: number; readonly tokens: Readonly<Record<string, string>> }>;
  stopStore(): Promise<void>;
  close(): Promise<void>;
}

export interface AdministrationOptions {
  /** Served beside the administration's own. */
  readonly routes?: readonly Route[];
  /** The same, of what needs the log. */
  readonly routesOn?: (log: EventLog, live: ReadModel) => readonly Route[];
  /** Applied beside the administration's own. */
  readonly projections?: readonly Projection[];
  readonly rateLimiter?: RateLimiter;
  readonly adminToken?: string | null;
  readonly trustedProxies?: readonly string[];
}

const schema = "control";

/**
 * The administration over HTTP on an event log and a Postgres of its own. The projection is applied when somebody waits
 * for it, which is what "visible in" waits for.
 */
export async function startAdministration(options: AdministrationOptions = {}): Promise<Administration> {
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let last = opened.pop(); last !== undefined; last = opened.pop()) await last();
  };
  try {
    return { ...(await openAdministration(options, opened)), close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

/** What has to be closed again goes to `opened` as soon as it is open. */
async function openAdministration(
  options: AdministrationOptions,
  opened: (() => Promise<void>)[],
): Promise<Omit<Administration, "close">> {
  const { log, stopStore, close: closeLog } = await startTestLog();
  opened.push(closeLog);
  const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
  opened.push(() => db.destroy());
  await db.raw(`create schema ${schema}`);
  const projections = [appsProjection, ...(options.projections ?? [])];
  for (const { createTables } of projections) await db.transaction((trx) => createTables(trx, schema));

  let projected: LogPosition | "start" = "start";
  const project = async (): Promise<bigint> => {
    for await (const event of log.readAll(projected, 10_000)) {
      for (const projection of projections) {
        if (!projection.handles.includes(event.type)) continue;
        await db.transaction((trx) => projection.apply(trx, schema, [event]));
      }
      projected = event.position;
    }
    return projected === "start" ? -1n : projected.commit;
  };

  const failures: unknown[] = [];
  const apps = createAppDirectory(log);
  const token = options.adminToken === undefined ? adminToken : options.adminToken;
  const deps = {
    authenticate: createTokenCheck(log, token),
    findApp: apps.findApp,
    findAppById: apps.findAppById,
    operatorConfigured: token !== null,
    rateLimiter: options.rateLimiter ?? null,
    passed: async (_group: string, position: bigint) => (await project()) >= position,
    problemOf: problemOfCommandFailure,
    failed: (failure: unknown) => failures.push(failure),
  };
  const app = createHttpApp(options.trustedProxies);
  app.use(securityHeaders());
  const live = async () => ({ db, schema });
  const administered = [
    ...administrationRoutes({ log, refreshApps: apps.refresh }),
    ...administrationReadRoutes({ live }),
  ];
  mountRoutes(
    app,
    [...administered, ...(options.routes ?? []), ...(options.routesOn?.(log, { db, schema }) ?? [])],
    deps,
  );
  endHttpApp(app, deps);
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  opened.push(() => server.close(AbortSignal.timeout(1_000)));
  const call = clientOf(server.port);

  return {
    call,
    port: server.port,
    log,
    failures,
    registerApp: async (name) => {
      const body = { name, timezone: "Asia/Seoul", currency: "KRW", ownerEmail: "owner@shop.example" };
      const { status, json } = await call("POST", "/admin/v1/apps", { token: token ?? "", body });
      if (status !== 201) throw new Error(`The app was not registered: ${JSON.stringify(json)}`);
      const { data } = json as { data: { app: { id: number }; tokens: Record<string, string> } };
      return { id: data.app.id, tokens: data.tokens };
    },
    stopStore,
  };
}
