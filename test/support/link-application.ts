import { createJournals } from "../../commands/journals/journal.ts";
import { createLinkCache, type LinkCache } from "../../commands/link-serving/link-cache.ts";
import { openPageHandler, redirectHandler } from "../../commands/link-serving/redirect-handler.ts";
import { problemOfCommandFailure } from "../../commands/problems.ts";
import { trackingLinkRoutes } from "../../commands/tracking-links/routes.ts";
import { registeredApp } from "../../domain/apps/registered-app.ts";
import { channelTypeOf } from "../../domain/channels/channel-name.ts";
import type { LogPosition, RecordedEvent } from "../../domain/event.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import type { TouchpointEvent } from "../../domain/touchpoints/events.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { mountRoutes } from "../../infra/http/routing/mount-routes.ts";
import { endHttpApp } from "../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../infra/http/server/http-app.ts";
import { listen } from "../../infra/http/server/http-server.ts";
import { serveByHost } from "../../infra/http/server/serve-by-host.ts";
import { openDatabase } from "../../infra/postgres/database.ts";
import { trackingLinksProjection } from "../../projections/tracking-links/projection.ts";
import {
  searchTrackingLinks,
  trackingLinkById,
  trackingLinkOf,
  trackingLinksOf,
} from "../../projections/tracking-links/queries.ts";
import { trackingLinkReadRoutes } from "../../read-api/tracking-links/routes.ts";
import { shop } from "../examples/app.ts";
import { type Client, clientOf } from "./client.ts";
import { startTestLog } from "./event-store.ts";
import { testPostgres } from "./stores.ts";

/** The example shop, another that may not see its links, and one that names no place to send visitors to. */
export const servedShop = registeredApp({ ...shop, redirectHosts: ["news.example"] }, "2026-01-01T00:00:00.000Z");
const otherShop = { ...servedShop, appId: 2, name: "other_shop" };
const bareShop = {
  ...servedShop,
  ...{ appId: 3, name: "bare_shop", iosStoreId: null, androidPackage: null, desktopUrl: null, redirectHosts: [] },
};
const apps = [servedShop, otherShop, bareShop];
const schema = "links";

export interface LinkApplication {
  /** Tokens: `owner`, `agency`, `media_partner`, `link`, `sdk` of the shop, `other_owner`, `bare_owner` of the others. */
  readonly call: Client;
  readonly baseUrl: string;
  readonly memory: LinkCache;
  readonly log: EventLog;
  /** What has been lost or asked for in vain. */
  readonly seen: { lost: unknown[]; unresolved: number };
  /** Touchpoints in the log, oldest first. */
  touchpoints(): Promise<readonly RecordedEvent<TouchpointEvent>[]>;
  stopStore(): Promise<void>;
  close(): Promise<void>;
}

/** Tracking links from creation to the click, over HTTP, on an event log and a Postgres of their own. */
export async function startLinkApplication(): Promise<LinkApplication> {
  const { log, stopStore, close: closeLog } = await startTestLog({ deadlineMs: 1_000 });
  const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
  await db.raw(`create schema ${schema}`);
  await db.transaction((trx) => trackingLinksProjection.createTables(trx, schema));
  const readModel = { db, schema };

  let projected: LogPosition | "start" = "start";
  const project = async (): Promise<bigint> => {
    const batch: RecordedEvent[] = [];
    for await (const event of log.readAll(projected, 10_000)) {
      batch.push(event);
      projected = event.position;
    }
    memory.apply(batch);
    const handled = batch.filter(({ type }) => trackingLinksProjection.handles.includes(type));
    await db.transaction((trx) => trackingLinksProjection.apply(trx, schema, handled));
    return projected === "start" ? -1n : projected.commit;
  };
  let projecting: Promise<bigint> = Promise.resolve(-1n);
  const passed = async (_group: string, position: bigint): Promise<boolean> => {
    projecting = projecting.then(project);
    return (await projecting) >= position;
  };

  const server = await listen(createHttpApp(), { host: "127.0.0.1", port: 0 });
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const linkBaseUrl = `${baseUrl}/l`;
  const findAppById = async (appId: number) => apps.find((known) => known.appId === appId) ?? null;
  const memory = createLinkCache({ log, storedLink: (linkId) => trackingLinkById(readModel, linkId) });
  const seen: LinkApplication["seen"] = { lost: [], unresolved: 0 };
  const journals = createJournals(log, { retryFor: 0 });
  const links = redirectHandler({
    findLink: memory.find,
    findApp: findAppById,
    spoolingJournals: journals,
    journals,
    baseUrl,
    onClickLost: (reason) => seen.lost.push(reason),
    onUnresolvedClick: () => {
      seen.unresolved += 1;
    },
  });
  const app = createHttpApp([], serveByHost({ baseUrl, linkBaseUrl }, links));
  app.get("/open", openPageHandler());
  const deps = {
    authenticate: async (authorization: string | undefined) => principalOf(authorization?.slice("Bearer ".length)),
    findApp: async (name: string) => apps.find((known) => known.name === name) ?? null,
    findAppById,
    operatorConfigured: true,
    passed,
    problemOf: problemOfCommandFailure,
    failed: () => {},
  };
  const routes = [
    ...trackingLinkRoutes({
      log,
      channelProfile: async (name) => ({ type: channelTypeOf(name, null) }),
      linkBaseUrl,
      onLinkCreated: memory.forgetMiss,
    }),
    ...trackingLinkReadRoutes({
      baseUrl,
      linkBaseUrl,
      trackingLinkOf: (appId, linkId) => trackingLinkOf(readModel, appId, linkId),
      trackingLinksOf: (appId, linkIds) => trackingLinksOf(readModel, appId, linkIds),
      searchTrackingLinks: (search) => searchTrackingLinks(readModel, search),
    }),
  ];
  mountRoutes(app, routes, deps);
  endHttpApp(app, deps);
  server.serve(app);

  return {
    call: clientOf(server.port),
    baseUrl,
    memory,
    log,
    seen,
    touchpoints: async () => {
      const events: RecordedEvent<TouchpointEvent>[] = [];
      for await (const event of log.readAll("start", 100_000)) {
        if (event.stream.startsWith("touchpoints-")) events.push(event as RecordedEvent<TouchpointEvent>);
      }
      return events;
    },
    stopStore,
    close: async () => {
      await server.close(AbortSignal.timeout(1_000));
      await db.destroy();
      await closeLog();
    },
  };
}

function principalOf(token: string | undefined): Principal | "unknown" | "missing" {
  const known = { tokenId: `id-of-${token}`, kind: "token", appId: shop.appId, channels: [] } as const;
  switch (token) {
    case undefined:
      return "missing";
    case "owner":
    case "agency":
    case "media_partner":
      return { ...known, tokenKind: "api", role: token };
    case "other_owner":
      return { ...known, tokenKind: "api", role: "owner", appId: otherShop.appId };
    case "bare_owner":
      return { ...known, tokenKind: "api", role: "owner", appId: bareShop.appId };
    case "link":
    case "sdk":
      return { ...known, tokenKind: token, role: null };
    default:
      return "unknown";
  }
}
