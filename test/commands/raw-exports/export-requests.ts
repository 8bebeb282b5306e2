import { eventMetadata } from "../../../commands/metadata.ts";
import { rawExportRoutes } from "../../../commands/raw-exports/routes.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { reportIdOf } from "../../../domain/raw-exports/report-id.ts";
import { rawExportsStream } from "../../../domain/streams.ts";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { shop } from "../../examples/app.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { type Application, servedShop, startApplication } from "../../support/application.ts";
import type { Answer } from "../../support/client.ts";

/** A zone in which it is about noon, so that no test sees a date change. */
const hoursToNoon = 12 - new Date().getUTCHours();
export const timezone = `Etc/GMT${hoursToNoon < 0 ? "+" : "-"}${Math.abs(hoursToNoon)}`;
export const today = localDate(timezone, Date.now());
export const yesterday = addDays(today, -1);

/** Two apps in that zone. */
const apps = [
  { ...servedShop, timezone },
  { ...servedShop, timezone, appId: 2, name: "cafe" },
];

/** Installs of today, each with its id. */
export const installs = {
  dateRange: { start: `${today} 00:00:00`, end: `${today} 23:59:59` },
  events: ["app_install"],
  properties: ["event_id"],
};

export interface ExportCall {
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
  /** What writes of the first process waited for, as group and position. */
  readonly waitedFor: Application["waitedFor"];
  /** What either answered with 500 or 503. */
  failures(): readonly unknown[];
  request(body: unknown, options?: ExportCall): Promise<Answer>;
  /** The events of an app's day. */
  events(appId?: number, date?: string): Promise<readonly RecordedEvent[]>;
  /** Requests as many exports as that without the API. */
  fill(count: number, appId: number, date: string): Promise<void>;
  close(): Promise<void>;
}

export async function startExportRequests(): Promise<ExportRequests> {
  const first = await startApplication({ apps, routes: ({ log }) => rawExportRoutes({ log }) });
  const { log } = first;
  const second = await startApplication({ log, apps, routes: rawExportRoutes({ log }) });
  const events = (appId: number = shop.appId, date = today) => first.events(rawExportsStream(appId, date));
  return {
    log,
    waitedFor: first.waitedFor,
    failures: () => [...first.failures, ...second.failures],
    events,
    request: async (body, { app = shop.name, type = "app", token = "owner", headers = {}, process = 0 } = {}) => {
      const path = `/log-export/api/v3/apps/${app}/${type}/request`;
      const { call } = process === 0 ? first : second;
      return call("POST", path, { ...(token === null ? {} : { token }), headers, body });
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
          metadata: eventMetadata("ExportRequested", { actor: { kind: "operator" }, requestId: commandId, occurredAt }),
        };
      });
      await log.append(rawExportsStream(appId, date), found.at(-1)?.revision ?? "no_stream", requested);
    },
    close: async () => {
      await second.close();
      await first.close();
    },
  };
}

export const codeOf = ({ status, json }: Answer): string =>
  `${status} ${(json as { readonly code?: string } | null)?.code ?? ""}`.trim();
export const idIn = ({ json }: Answer): number =>
  (json as { readonly data: { readonly reportID: number } }).data.reportID;
