import { randomUUID } from "node:crypto";
import { eventMetadata } from "../../../commands/metadata.ts";
import { type ExporterDeps, type ExportToRun, exporter } from "../../../commands/raw-exports/exporter.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { RawExportEvent } from "../../../domain/raw-exports/events.ts";
import { placeOf, reportIdOf } from "../../../domain/raw-exports/report-id.ts";
import { rawExportsStream } from "../../../domain/streams.ts";
import { addDays } from "../../../domain/values/local-time.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { startTestLog } from "../../support/event-store.ts";
import { awakeReactor, type ReactorFailure, testRuntime } from "../reactors/test-runtime.ts";

/** What a test says of the world that an exporter runs in. */
export interface Circumstances {
  factsHavePassed: (position: bigint) => boolean;
  hasUndecided: (appId: number, position: bigint) => boolean;
  describe: ExporterDeps<ExportToRun>["describe"];
  /** The to-do list; by default what the log says. */
  openExports: () => Promise<readonly ExportToRun[]>;
  append: EventLog["append"];
  now: () => number;
}

/** An exporter that a test lets run, over a real event log. */
export interface GivenExporter {
  readonly log: EventLog;
  readonly circumstances: Circumstances;
  readonly failures: ReactorFailure[];
  /** Undoes what a test has said, and goes on to another date: nobody sees its exports. */
  reset(): void;
  /** Requests an export of an app; answers its id. */
  requested(appId?: number): Promise<number>;
  events(reportId: number): Promise<readonly RecordedEvent<RawExportEvent>[]>;
  typesOf(reportId: number): Promise<readonly string[]>;
  isEnded(reportId: number): Promise<boolean>;
  /** Lets an exporter run until `condition` holds, waking it over and over; then kills it. */
  runUntil(condition: () => boolean | Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

export const file = { rows: 2, bytes: 187, sha256: "ab".repeat(32), resumePoints: [] };

const query = {
  type: "app",
  start: "2026-03-01 00:00:00",
  end: "2026-03-31 23:59:59",
  events: ["app_install"],
  properties: ["event_id"],
  filters: [],
};

export async function givenExporter(): Promise<GivenExporter> {
  const { log, close } = await startTestLog();
  const apps = new Set<number>();
  let date = "2026-03-31";
  const eventsOf = async (appId: number): Promise<readonly RecordedEvent<RawExportEvent>[]> => {
    const found: RecordedEvent<RawExportEvent>[] = [];
    for await (const event of log.read(rawExportsStream(appId, date))) {
      found.push(event as unknown as RecordedEvent<RawExportEvent>);
    }
    return found;
  };
  const openInLog = async (): Promise<readonly ExportToRun[]> => {
    const all = (await Promise.all([...apps].map(eventsOf))).flat();
    const ended = new Set(all.flatMap(({ type, data }) => (type === "ExportRequested" ? [] : [data.reportId])));
    return all
      .filter(({ type, data }) => type === "ExportRequested" && !ended.has(data.reportId))
      .map(({ data, position }) => ({
        reportId: data.reportId,
        appId: appOf(data.reportId),
        position: position.commit,
        now: new Date(usual.now()),
      }));
  };
  const usual: Circumstances = {
    factsHavePassed: () => true,
    hasUndecided: () => false,
    describe: async () => file,
    openExports: openInLog,
    append: log.append,
    now: Date.now,
  };
  const circumstances = { ...usual };
  const { failures, runUntil } = testRuntime(() => new Date(circumstances.now()));
  const reactor = exporter({
    log: { ...log, append: (...appended) => circumstances.append(...appended) },
    openExports: () => circumstances.openExports(),
    factsHavePassed: async (position) => circumstances.factsHavePassed(position),
    hasUndecided: async (appId, position) => circumstances.hasUndecided(appId, position),
    describe: (one, stopping) => circumstances.describe(one, stopping),
    now: () => new Date(circumstances.now()),
  });
  const given: GivenExporter = {
    log,
    circumstances,
    failures,
    reset: () => {
      Object.assign(circumstances, usual);
      failures.length = 0;
      apps.clear();
      date = addDays(date, 1);
    },
    requested: async (appId = 1) => {
      apps.add(appId);
      const before = await eventsOf(appId);
      const number = before.filter(({ type }) => type === "ExportRequested").length + 1;
      const reportId = reportIdOf({ appId, date, number });
      const [id, commandId, occurredAt] = [randomUUID(), randomUUID(), new Date().toISOString()];
      const data = { reportId, appId, commandId, query, requestedAt: occurredAt };
      const metadata = eventMetadata("ExportRequested", {
        actor: { kind: "operator" },
        requestId: commandId,
        occurredAt,
      });
      const expected = before.at(-1)?.revision ?? "no_stream";
      await log.append(rawExportsStream(appId, date), expected, [{ id, type: "ExportRequested", data, metadata }]);
      return reportId;
    },
    events: async (reportId) => (await eventsOf(appOf(reportId))).filter(({ data }) => data.reportId === reportId),
    typesOf: async (reportId) => (await given.events(reportId)).map(({ type }) => type),
    isEnded: async (reportId) => (await given.events(reportId)).length > 1,
    runUntil: (condition) => runUntil([awakeReactor(reactor)], condition),
    close,
  };
  return given;
}

function appOf(reportId: number): number {
  const place = placeOf(reportId);
  if (place === null) throw new Error(`${reportId} is not the id of an export`);
  return place.appId;
}
