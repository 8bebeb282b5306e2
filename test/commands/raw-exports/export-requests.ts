import { createKeyedRequests } from "../../../commands/idempotency/keyed-requests.ts";
import { eventMetadata } from "../../../commands/metadata.ts";
import { problemOfCommandFailure } from "../../../commands/problems.ts";
import { rawExportRoutes } from "../../../commands/raw-exports/routes.ts";
import { registeredApp } from "../../../domain/apps/registered-app.ts";
import type { RecordedEvent } from "../../../domain/event.ts";
import { reportIdOf } from "../../../domain/raw-exports/report-id.ts";
import { rawExportsStream } from "../../../domain/streams.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { mountRoutes } from "../../../infra/http/routing/mount-routes.ts";
import { endHttpApp } from "../../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../../infra/http/server/http-app.ts";
import { listen } from "../../../infra/http/server/http-server.ts";
import { shop } from "../../examples/app.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { type Answer, type Client, clientOf } from "../../support/client.ts";
import { startTestLog } from "../../support/event-store.ts";

/** A zone in which it is about noon, so that no test sees a date change. */
const hoursToNoon = 12 - new Date().getUTCHours();
export const timezone = `Etc/GMT${hoursToNoon < 0 ? "+" : "-"}${Math.abs(hoursToNoon)}`;
export const today = localDate(timezone, Date.now());
export const yesterday = addDays(today, -1);

/** Two apps in that zone. */
const apps = [
  { ...shop, timezone },
  { ...shop, timezone, appId: 2, name: "cafe" },
].map((app) => registeredApp(app, "2026-01-01T00:00:00.000Z"));

const ofToken = { kind: "token", tokenKind: "api", appId: shop.appId, channels: [] } as const;
const principals: { readonly [token: string]: Principal } = {
  owner: { ...ofToken, tokenId: "owner", role: "owner" },
  inHouse: { ...ofToken, tokenId: "in-application", role: "in_house_marketer" },
  agency: { ...ofToken, tokenId: "agency", role: "agency" },
  partner: { ...ofToken, tokenId: "partner", role: "media_partner", channels: ["kakao"] },
  link: { ...ofToken, tokenId: "link", tokenKind: "link", role: null },
  sdk: { ...ofToken, tokenId: "sdk", tokenKind: "sdk", role: null },
  web: { ...ofToken, tokenId: "web", tokenKind: "web", role: null },
  ofCafe: { ...ofToken, tokenId: "of-cafe", appId: 2, role: "owner" },
  operator: { kind: "operator" },
};

/** Installs of today, each with its id. */
export const installs = {
  dateRange: { start: `${today} 00:00:00`, end: `${today} 23:59:59` },
  events: ["app_install"],
  properties: ["event_id"],
};

export interface AskedExport {
  readonly app?: string;
  readonly type?: string;
  readonly token?: string | null;
  readonly headers?: { readonly [name: string]: string };
  /** Which of two processes is asked. */
  readonly process?: 0 | 1;
}

/** The route that requests exports, served by two processes over one event store. */
export interface ExportRequests {
  readonly log: EventLog;
  /** What writes waited for, as group and position. */
  readonly waitedFor: (readonly [string, bigint])[];
  readonly failures: unknown[];
  request(body: unknown, asked?: AskedExport): Promise<Answer>;
  /** The events of an app's day. */
  events(appId?: number, date?: string): Promise<readonly RecordedEvent[]>;
  /** Requests as many exports as that without the API. */
  fill(count: number, appId: number, date: string): Promise<void>;
  close(): Promise<void>;
}

export async function startExportRequests(): Promise<ExportRequests> {
  const { log, close: closeLog } = await startTestLog();
  const waitedFor: (readonly [string, bigint])[] = [];
  const failures: unknown[] = [];
  const serve = async () => {
    const app = createHttpApp();
    const deps = {
      authenticate: async (header: string | undefined) =>
        header === undefined
          ? ("missing" as const)
          : (principals[header.replace("Bearer ", "")] ?? ("unknown" as const)),
      findApp: async (name: string) => apps.find((one) => one.name === name) ?? null,
      findAppById: async (appId: number) => apps.find((one) => one.appId === appId) ?? null,
      operatorConfigured: true,
      keyed: createKeyedRequests({ log }),
      passed: async (group: string, position: bigint) => {
        waitedFor.push([group, position]);
        return true;
      },
      problemOf: problemOfCommandFailure,
      failed: (failure: unknown) => failures.push(failure),
    };
    mountRoutes(app, rawExportRoutes({ log }), deps);
    endHttpApp(app, deps);
    return listen(app, { host: "127.0.0.1", port: 0 });
  };
  const servers = await Promise.all([serve(), serve()]);
  const clients: readonly Client[] = servers.map(({ port }) => clientOf(port));
  const events = async (appId: number = shop.appId, date = today): Promise<readonly RecordedEvent[]> => {
    const found: RecordedEvent[] = [];
    for await (const event of log.read(rawExportsStream(appId, date))) found.push(event);
    return found;
  };
  return {
    log,
    waitedFor,
    failures,
    events,
    request: async (body, { app = shop.name, type = "app", token = "owner", headers = {}, process = 0 } = {}) => {
      const client = clients[process];
      if (client === undefined) throw new Error("There are two processes");
      const path = `/log-export/api/v3/apps/${app}/${type}/request`;
      return client("POST", path, { ...(token === null ? {} : { token }), headers, body });
    },
    fill: async (count, appId, date) => {
      const found = await events(appId, date);
      const occurredAt = new Date().toISOString();
      const { dateRange, ...asked } = installs;
      const query = { type: "app", start: dateRange.start, end: dateRange.end, ...asked, filters: [] };
      const requested = Array.from({ length: count }, (_, index) => {
        const number = found.length + index + 1;
        const reportId = reportIdOf({ appId, date, number });
        const commandId = exampleUuid("fill", reportId);
        return {
          id: exampleUuid("filled", reportId),
          type: "ExportRequested",
          data: { reportId, appId, commandId, query, requestedAt: occurredAt },
          metadata: eventMetadata({ actor: { kind: "operator" }, requestId: commandId, occurredAt }),
        };
      });
      await log.append(rawExportsStream(appId, date), found.at(-1)?.revision ?? "no_stream", requested);
    },
    close: async () => {
      for (const server of servers) await server.close(AbortSignal.timeout(1_000));
      await closeLog();
    },
  };
}

export const codeOf = ({ status, json }: Answer): string =>
  `${status} ${(json as { readonly code?: string } | null)?.code ?? ""}`.trim();
export const idIn = ({ json }: Answer): number =>
  (json as { readonly data: { readonly reportID: number } }).data.reportID;
