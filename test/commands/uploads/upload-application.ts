import { createKeyedRequests } from "../../../commands/idempotency/keyed-requests.ts";
import { problemOfCommandFailure } from "../../../commands/problems.ts";
import { uploadRoutes } from "../../../commands/uploads/upload-routes.ts";
import { registeredApp } from "../../../domain/apps/registered-app.ts";
import type { LogPosition, RecordedEvent } from "../../../domain/event.ts";
import { uploadStream } from "../../../domain/streams.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import type { UploadReceived } from "../../../domain/uploads/events.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { mountRoutes } from "../../../infra/http/routing/mount-routes.ts";
import type { RateLimiter } from "../../../infra/http/routing/rate-limits.ts";
import { endHttpApp } from "../../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../../infra/http/server/http-app.ts";
import { listen } from "../../../infra/http/server/http-server.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { uploadsProjection } from "../../../projections/uploads/projection.ts";
import { uploadOf } from "../../../projections/uploads/queries.ts";
import { uploadReadRoutes } from "../../../read-api/uploads/routes.ts";
import { shop } from "../../examples/app.ts";
import { type Client, clientOf } from "../../support/client.ts";
import { startTestLog } from "../../support/event-store.ts";
import { testPostgres } from "../../support/stores.ts";

const ofShop = { kind: "token", appId: shop.appId, channels: [] } as const;
const principals: { readonly [token: string]: Principal } = {
  owner: { ...ofShop, tokenId: "owner", tokenKind: "api", role: "owner" },
  in_house: { ...ofShop, tokenId: "in-application", tokenKind: "api", role: "in_house_marketer" },
  agency: { ...ofShop, tokenId: "agency", tokenKind: "api", role: "agency" },
  media_partner: { ...ofShop, tokenId: "partner", tokenKind: "api", role: "media_partner", channels: ["appier"] },
  link: { ...ofShop, tokenId: "link", tokenKind: "link", role: null },
  sdk: { ...ofShop, tokenId: "sdk", tokenKind: "sdk", role: null },
  web: { ...ofShop, tokenId: "web", tokenKind: "web", role: null },
  operator: { kind: "operator" },
  diner: { ...ofShop, tokenId: "diner", tokenKind: "api", role: "owner", appId: 2 },
  lost: { ...ofShop, tokenId: "lost", tokenKind: "api", role: "owner", appId: 3 },
};

const apps = [shop, { ...shop, appId: 2, name: "diner", timezone: "America/New_York" }].map((app) =>
  registeredApp(app, "2026-01-01T00:00:00.000Z"),
);

export interface UploadApplication {
  /**
   * Tokens of the shop, in Seoul: `owner`, `in_house`, `agency`, `media_partner`, `link`, `sdk`, `web`; `diner` owns a
   * diner in New York, `lost` an app that nobody knows; and `operator`.
   */
  readonly call: Client;
  /** The log as it is, whatever `circumstances` make of it for the routes. */
  readonly log: EventLog;
  /** Told what an append is about to do: throws to keep it from happening. */
  readonly circumstances: { beforeAppend(stream: string): void };
  readonly failures: readonly unknown[];
  events(stream: string): Promise<readonly RecordedEvent[]>;
  /** What the log says of an upload's receipt. */
  received(requestId: string): Promise<UploadReceived["data"]>;
  /** How many events of a type the whole log has. */
  count(type: string): Promise<number>;
  stopStore(): Promise<void>;
  close(): Promise<void>;
}

const schema = "control";

/** Uploads from POST to status, on an event log and a Postgres of their own; nobody works them off. */
export async function startUploads(rateLimiter: RateLimiter | null = null): Promise<UploadApplication> {
  const { log, stopStore, close: closeLog } = await startTestLog();
  const db = openDatabase(await testPostgres(), { max: 4, applicationName: "test" });
  await db.raw(`create schema ${schema}`);
  await db.transaction((trx) => uploadsProjection.createTables(trx, schema));

  let projected: LogPosition | "start" = "start";
  let projecting: Promise<unknown> = Promise.resolve();
  const project = (): Promise<void> => {
    const next = projecting.then(async () => {
      for await (const event of log.readAll(projected, 10_000)) {
        if (uploadsProjection.handles.includes(event.type)) {
          await db.transaction((trx) => uploadsProjection.apply(trx, schema, [event]));
        }
        projected = event.position;
      }
    });
    projecting = next.catch(() => undefined);
    return next;
  };

  const circumstances: UploadApplication["circumstances"] = { beforeAppend() {} };
  const append: EventLog["append"] = async (stream, ...call) => {
    circumstances.beforeAppend(stream);
    return log.append(stream, ...call);
  };
  const unsteady = { ...log, append };
  const failures: unknown[] = [];
  const deps = {
    authenticate: async (header: string | undefined) => principalOf(header),
    findApp: async () => null,
    findAppById: async (appId: number) => apps.find((app) => app.appId === appId) ?? null,
    operatorConfigured: true,
    rateLimiter,
    keyed: createKeyedRequests({ log: unsteady }),
    passed: async () => project().then(() => true),
    problemOf: problemOfCommandFailure,
    failed: (failure: unknown) => failures.push(failure),
  };
  const app = createHttpApp();
  const model = { db, schema };
  const reading = uploadReadRoutes({
    uploadOf: (appId, requestId) => uploadOf(model, appId, requestId),
    uploadedFile: async () => Buffer.alloc(0),
  });
  mountRoutes(app, [...uploadRoutes({ log: unsteady }), ...reading], deps);
  endHttpApp(app, deps);
  const server = await listen(app, { host: "127.0.0.1", port: 0 });

  return {
    call: clientOf(server.port),
    log,
    circumstances,
    failures,
    events: async (stream) => {
      const recorded: RecordedEvent[] = [];
      for await (const event of log.read(stream)) recorded.push(event);
      return recorded;
    },
    received: async (requestId) => {
      for await (const { data } of log.read(uploadStream(requestId))) return data as UploadReceived["data"];
      throw new Error(`There is no upload ${requestId}`);
    },
    count: async (type) => {
      let count = 0;
      for await (const event of log.readAll("start", 100_000)) if (event.type === type) count += 1;
      return count;
    },
    stopStore,
    close: async () => {
      await server.close(AbortSignal.timeout(1_000));
      await db.destroy();
      await closeLog();
    },
  };
}

function principalOf(header: string | undefined): Principal | "unknown" | "missing" {
  const token = /^Bearer (\S+)$/.exec(header ?? "")?.[1];
  if (token === undefined) return "missing";
  return Object.hasOwn(principals, token) ? (principals[token] ?? "unknown") : "unknown";
}
