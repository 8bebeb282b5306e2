import { createJournals, type JournalOptions, type Journals } from "../../commands/journals/journal.ts";
import { registeredApp } from "../../domain/apps/registered-app.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { Role, TokenKind } from "../../domain/tokens/events.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import type { AdmissionDeps } from "../../infra/http/routing/authorise.ts";
import { mountRoutes } from "../../infra/http/routing/mount-routes.ts";
import type { Route } from "../../infra/http/routing/route.ts";
import { endHttpApp } from "../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../infra/http/server/http-app.ts";
import { listen } from "../../infra/http/server/http-server.ts";
import { shop } from "../examples/app.ts";
import { type Client, clientOf } from "./client.ts";
import { startTestLog } from "./event-store.ts";

/** The example shop, served. */
export const servedShop = registeredApp(shop, "2026-01-01T00:00:00.000Z");

const tokens: Readonly<Record<string, readonly [TokenKind, Role | null]>> = {
  owner: ["api", "owner"],
  in_house: ["api", "in_house_marketer"],
  agency: ["api", "agency"],
  media_partner: ["api", "media_partner"],
  link: ["link", null],
  sdk: ["sdk", null],
  web: ["web", null],
};

export interface IngestServer {
  /** Tokens are `owner`, `in_house`, `agency`, `media_partner`, `link`, `sdk` and `web`, all of the example shop. */
  readonly call: Client;
  /** Events of the whole log, oldest first. */
  recorded(): Promise<readonly RecordedEvent[]>;
  stopStore(): Promise<void>;
  close(): Promise<void>;
}

/** Routes that write through journals, listening, on an event store of their own. */
export async function startIngest(
  routesOf: (journals: Journals) => readonly Route[],
  options: JournalOptions = {},
  admission: Pick<AdmissionDeps, "rateLimiter"> = {},
): Promise<IngestServer> {
  const { log, stopStore, close } = await startTestLog({ deadlineMs: 2_000 });
  const deps = {
    authenticate: async (authorization: string | undefined) => principalOf(authorization?.slice("Bearer ".length)),
    findApp: async (name: string) => (name === servedShop.name ? servedShop : null),
    findAppById: async () => servedShop,
    operatorConfigured: true,
    passed: async () => true,
    failed: () => {},
    ...admission,
  };
  const app = createHttpApp();
  mountRoutes(app, routesOf(createJournals(log, options)), deps);
  endHttpApp(app, deps);
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  return {
    call: clientOf(server.port),
    recorded: async () => {
      const events: RecordedEvent[] = [];
      for await (const event of log.readAll("start", 100_000)) events.push(event);
      return events;
    },
    stopStore,
    close: async () => {
      await server.close(AbortSignal.timeout(1_000));
      await close();
    },
  };
}

function principalOf(token: string | undefined): Principal | "unknown" | "missing" {
  if (token === undefined) return "missing";
  if (!Object.hasOwn(tokens, token)) return "unknown";
  const [tokenKind, role] = tokens[token] ?? ["link", null];
  return { kind: "token", tokenId: `id-of-${token}`, tokenKind, role, appId: shop.appId, channels: [] };
}
