import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appEventRoutes } from "../../commands/app-events/ingest.ts";
import { createJournals } from "../../commands/journals/journal.ts";
import { registeredApp } from "../../domain/apps/registered-app.ts";
import { startEmbeddedEventStore } from "../../infra/embedded-event-store/event-store.ts";
import { createEventLog } from "../../infra/event-log/eventstore-event-log.ts";
import { mountRoutes } from "../../infra/http/routing/mount-routes.ts";
import { createHttpApp } from "../../infra/http/server/http-app.ts";
import { listen } from "../../infra/http/server/http-server.ts";
import { shop } from "../../test/examples/app.ts";

/**
 * Ingest without projections, in its own process: HTTP, journals and the embedded event store in a thread, as
 * `npm start` runs them. Prints its port.
 */
const directory = mkdtempSync(join(tmpdir(), "touchledger-bench-"));
const credential = { username: "bench", password: "bench-password" };
const store = await startEmbeddedEventStore({ directory, ...credential });
const log = createEventLog({ connectionString: store.connectionString, deadlineMs: 5_000, ...credential });

const served = registeredApp(shop, "2026-01-01T00:00:00.000Z", 0n);
const app = createHttpApp();
mountRoutes(
  app,
  appEventRoutes({ journals: createJournals(log), openedLinks: async () => new Map(), rateLimiter: null }),
  {
    authenticate: async () => ({
      kind: "token",
      tokenId: "bench",
      tokenKind: "sdk",
      role: null,
      appId: shop.appId,
      channels: [],
    }),
    findApp: async () => served,
    findAppById: async () => served,
    appNames: () => [],
    operatorConfigured: false,
    rateLimiter: null,
    waitForPosition: async () => true,
    failed: console.error,
  },
);
const server = await listen(app, { host: "127.0.0.1", port: 0 });
process.stdout.write(`${server.port}\n`);

process.on("SIGTERM", async () => {
  await server.close(AbortSignal.timeout(1_000));
  await log.close();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
  process.exit(0);
});
