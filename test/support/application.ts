import type { Express } from "express";
import type { Knex } from "knex";
import { createKeyedRequests } from "../../commands/idempotency/keyed-requests.ts";
import { createKeyedMutex } from "../../commands/mutex.ts";
import { problemOfCommandFailure } from "../../commands/rejection-statuses.ts";
import { type RegisteredApp, registeredApp } from "../../domain/apps/registered-app.ts";
import type { LogPosition } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { StreamName } from "../../domain/streams.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { mountRoutes, type RouteDeps } from "../../infra/http/routing/mount-routes.ts";
import type { ReadModelGroup, Route } from "../../infra/http/routing/route.ts";
import { addErrorHandlers } from "../../infra/http/server/error-handler.ts";
import { createHttpApp, securityHeaders } from "../../infra/http/server/http-app.ts";
import { listen } from "../../infra/http/server/http-server.ts";
import { openDatabase } from "../../infra/postgres/database.ts";
import type { Projection, ReadModel } from "../../projections/projection.ts";
import { shop } from "../examples/app.ts";
import { startTestLog } from "./event-store.ts";
import { type Client, clientOf } from "./raw-client.ts";
import { testPostgres } from "./stores.ts";
import { checkVisible } from "./visible-writes.ts";

export type Principals = { readonly [token: string]: Principal };

export const servedShop = registeredApp(shop, "2026-01-01T00:00:00.000Z", 0n);
/** Owned by `other_owner`; no token of the shop may see it. */
export const otherShop: RegisteredApp = { ...servedShop, appId: 2, name: "other_shop" };

/** Texts of tokens, each named by its kind or role: those of the example shop, an owner of another app, the operator. */
export const principals = {
  owner: apiToken("owner", "owner"),
  in_house: apiToken("in_house", "in_house_marketer"),
  agency: apiToken("agency", "agency"),
  media_partner: { ...apiToken("media_partner", "media_partner"), channels: ["partner", "kakao"] },
  link: { ...apiToken("link", null), tokenKind: "link" },
  sdk: { ...apiToken("sdk", null), tokenKind: "sdk" },
  web: { ...apiToken("web", null), tokenKind: "web" },
  other_owner: { ...apiToken("other_owner", "owner"), appId: otherShop.appId },
  operator: { kind: "operator" },
} as const satisfies Principals;

function apiToken<Name extends string, const Role>(name: Name, role: Role) {
  return {
    ...({ kind: "token", tokenKind: "api", appId: shop.appId, channels: [] } as const),
    ...{ tokenId: `id-of-${name}`, role },
  };
}

/** What a part of the application is built from. */
export interface Foundation {
  readonly log: EventLog;
  readonly baseUrl: string;
  /** Fails when the parts name no projection. */
  readModel(): ReadModel;
}

export interface Parts {
  /** A log that several applications share; by default one on an event store of its own. */
  readonly log?: EventLog;
  /** The deadline of a call to that event store, for tests that wait for it. */
  readonly deadlineMs?: number;
  /** By default {@link servedShop} and {@link otherShop}. */
  readonly apps?: readonly RegisteredApp[];
  /** Added to {@link principals}. */
  readonly principals?: Principals;
  /** Applied, in order, whenever a request waits for a read model; with any there is a database. */
  readonly projections?: readonly Projection[];
  /** Called with every event that the projections have passed. */
  readonly onProjected?: (event: RecordedEvent) => void;
  readonly routes: readonly Route[] | ((foundation: Foundation) => readonly Route[]);
  /** The Express app that the routes are mounted on. */
  readonly app?: (foundation: Foundation) => Express;
  /** What the routes are served with instead of the defaults, such as a rate limiter. */
  readonly deps?: (log: EventLog) => Partial<RouteDeps>;
}

export interface Application extends Foundation {
  /** Tokens: {@link principals} and those of the parts. */
  readonly call: Client;
  readonly port: number;
  /** Called before each append of the routes: throws to prevent it. */
  readonly circumstances: { beforeAppend(stream: string): void };
  /** What was answered with 500 or 503, in order. */
  readonly failures: readonly unknown[];
  /** Groups and positions that requests waited for. */
  readonly waitedFor: (readonly [group: ReadModelGroup, position: bigint])[];
  /** Applies what the log has; returns the position reached, or -1. */
  project(): Promise<bigint>;
  /** Events of one stream, or of the whole log, oldest first. */
  events(stream?: StreamName): Promise<readonly RecordedEvent[]>;
  /** Type and data of those events. */
  facts(stream?: StreamName): Promise<readonly Pick<RecordedEvent, "type" | "data">[]>;
  stopStore(): Promise<void>;
  close(): Promise<void>;
}

/** The routes of some parts of the application, listening, on real stores. */
export async function startApplication(parts: Parts): Promise<Application> {
  const opened: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (let last = opened.pop(); last !== undefined; last = opened.pop()) await last();
  };
  try {
    return { ...(await open(parts, opened)), close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

const schema = "control";

async function open(parts: Parts, opened: (() => Promise<unknown>)[]): Promise<Omit<Application, "close">> {
  const { apps = [servedShop, otherShop], projections = [] } = parts;
  const store = parts.log === undefined ? await startTestLog(parts) : { log: parts.log, stopStore: async () => {} };
  if ("close" in store) opened.push(store.close);
  const { log } = store;
  const db = projections.length === 0 ? null : await openReadModels(projections, opened);
  const readModel = (): ReadModel => {
    if (db === null) throw new Error("These parts have no projection");
    return { db, schema };
  };
  const oneAtATime = createKeyedMutex();
  let projected: LogPosition | "start" = "start";
  const project = () =>
    oneAtATime("project", async () => {
      for await (const event of log.readAll(projected, 10_000)) {
        for (const projection of projections) {
          if (!projection.handles.includes(event.type)) continue;
          await db?.transaction((trx) => projection.apply(trx, schema, [event]));
        }
        parts.onProjected?.(event);
        projected = event.position;
      }
      return projected === "start" ? -1n : projected.commit;
    });

  const failures: unknown[] = [];
  const waitedFor: [ReadModelGroup, bigint][] = [];
  const circumstances: Application["circumstances"] = { beforeAppend() {} };
  const logOfRoutes: EventLog = {
    ...log,
    append: async (stream, ...call) => {
      circumstances.beforeAppend(stream);
      return log.append(stream, ...call);
    },
  };
  const known: Principals = { ...principals, ...parts.principals };
  const deps: RouteDeps = {
    authenticate: async (authorization) => principalOf(known, authorization),
    findApp: async (name) => apps.find((app) => app.name === name) ?? null,
    findAppById: async (appId) => apps.find((app) => app.appId === appId) ?? null,
    appNames: () => apps.map((app) => app.name),
    operatorConfigured: true,
    rateLimiter: null,
    keyed: createKeyedRequests({ log: logOfRoutes }),
    waitForPosition: async (group, position) => {
      waitedFor.push([group, position]);
      return projections.length === 0 || (await project()) >= position;
    },
    problemOf: problemOfCommandFailure,
    failed: (failure) => failures.push(failure),
    ...parts.deps?.(logOfRoutes),
  };
  const server = await listen(createHttpApp(), { host: "127.0.0.1", port: 0 });
  opened.push(() => server.close(AbortSignal.timeout(1_000)));
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const foundation = { log: logOfRoutes, readModel, baseUrl };
  const events: Application["events"] = async (stream) => {
    const found: RecordedEvent[] = [];
    for await (const event of stream === undefined ? log.readAll("start", 100_000) : log.read(stream))
      found.push(event);
    return found;
  };
  const app = parts.app?.(foundation) ?? createHttpApp();
  app.use(securityHeaders());
  mountRoutes(app, typeof parts.routes === "function" ? parts.routes(foundation) : parts.routes, deps);
  addErrorHandlers(app, deps);
  server.serve(app);
  const client = clientOf(server.port);
  return {
    ...{ log, readModel, baseUrl },
    call: async (method, path, sent) => {
      const before = waitedFor.length;
      const answer = await client(method, path, sent);
      checkVisible(method, path, answer, waitedFor.slice(before));
      return answer;
    },
    port: server.port,
    circumstances,
    failures,
    waitedFor,
    project,
    events,
    facts: async (stream) => (await events(stream)).map(({ type, data }) => ({ type, data })),
    stopStore: store.stopStore,
  };
}

async function openReadModels(projections: readonly Projection[], opened: (() => Promise<unknown>)[]): Promise<Knex> {
  const db = openDatabase(await testPostgres(), { max: 6, applicationName: "test" });
  opened.push(() => db.destroy());
  await db.raw(`create schema ${schema}`);
  for (const { createTables } of projections) await db.transaction((trx) => createTables(trx, schema));
  return db;
}

function principalOf(known: Principals, authorization: string | undefined): Principal | "unknown" | "missing" {
  if (authorization === undefined) return "missing";
  const token = authorization.replace(/^Bearer /, "");
  return (Object.hasOwn(known, token) ? known[token] : undefined) ?? "unknown";
}
