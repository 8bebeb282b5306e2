import type { RequestHandler } from "express";
import type { Knex } from "knex";
import type { Gauge } from "prom-client";
import { runExports } from "../../commands/raw-exports/exporter.ts";
import type { RawExportEvent } from "../../domain/raw-exports/events.ts";
import type { PropertyKey } from "../../domain/raw-exports/properties.ts";
import { hasUndecidedTargets } from "../../projections/facts/queries.ts";
import { openExports, type RawExportRow, rawExportOf } from "../../projections/raw-exports/queries.ts";
import { type RawPage, rawRows } from "../../projections/raw-exports/rows.ts";
import type { RawPlace } from "../../projections/raw-exports/statement.ts";
import { createReadModels } from "../../projections/read-models.ts";
import { describeCsvFile } from "../../read-api/raw-exports/csv-file.ts";
import { downloadHandler } from "../../read-api/raw-exports/download.ts";
import type { EventLog } from "../event-log/event-log.ts";
import type { Log } from "../process/log.ts";
import { type House, projections } from "./read-models.ts";

export interface ExporterParts extends Pick<House, "apps" | "models" | "projector"> {
  readonly eventLog: EventLog;
  readonly log: Pick<Log, "error">;
  /** In seconds, by reactor. */
  readonly lag: Pick<Gauge, "set">;
}

/** What opens a row of the to-do list. */
const opening: RawExportEvent["type"] = "ExportRequested";

/** The exporter over the application's own log and read models, until `signal` aborts. */
export function exporter(parts: ExporterParts, signal: AbortSignal): Promise<void> {
  const { eventLog, projector, models, log, lag } = parts;
  const rowsOf = readRows(parts);
  let hasOpen = false;
  return runExports<RawExportRow>(
    {
      log: eventLog,
      openExports: async (max) => {
        const open = await openExports(await models.live("raw_exports"), max);
        hasOpen = open.length > 0;
        const oldest = Math.min(...open.map(({ now }) => now.getTime()));
        lag.set({ reactor: "exports" }, hasOpen ? Math.max(0, Date.now() - oldest) / 1_000 : 0);
        return open;
      },
      factsHavePassed: (position) => projector.hasPassed("facts", { commit: position, prepare: position }, 0),
      hasUndecided: async (appId, position) => hasUndecidedTargets(await models.live("facts"), appId, position),
      describe: (one, stopping) =>
        describeCsvFile(one.query.properties as readonly PropertyKey[], untilAborted(rowsOf(one, null), stopping)),
      onProgress: (listener) =>
        projector.onCommit((group, batch) => {
          if ((group === "facts" && hasOpen) || batch.some(({ type }) => type === opening)) listener();
        }),
      failed: (failure, reportId) => log.error({ err: failure, reportId }, "an export could not be read; trying again"),
      now: () => new Date(),
    },
    signal,
  );
}

/** Serves the files of exports at their signed addresses. */
export function exportDownloads({ apps }: Pick<House, "apps">, exporting: Knex, signingKey: string): RequestHandler {
  const models = createReadModels(exporting, projections);
  return downloadHandler({
    rawExportOf: async (reportId) => rawExportOf(await models.live("raw_exports"), reportId),
    rowsOf: readRows({ apps, models }),
    signingKey,
    now: () => new Date(),
  });
}

function readRows({ apps, models }: Pick<House, "apps" | "models">) {
  return async function* (one: RawExportRow, after: RawPlace | null): AsyncGenerator<RawPage> {
    const app = await apps.findAppById(one.appId);
    if (app === null) throw new Error(`Export ${one.reportId} is of an unknown app`);
    yield* rawRows(() => models.live("facts"), { ...one, timezone: app.timezone }, after);
  };
}

async function* untilAborted(pages: AsyncGenerator<RawPage>, signal: AbortSignal): AsyncGenerator<RawPage> {
  for await (const page of pages) {
    signal.throwIfAborted();
    yield page;
  }
}
