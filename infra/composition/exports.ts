import type { RequestHandler } from "express";
import type { Knex } from "knex";
import type { ReadRecorder } from "../../commands/audit/record-read.ts";
import { type RawExportRow, rawExportOf } from "../../projections/raw-exports/queries.ts";
import { type RawPage, rawRows } from "../../projections/raw-exports/rows.ts";
import type { RawPlace } from "../../projections/raw-exports/statement.ts";
import { createReadModels } from "../../projections/read-models.ts";
import { downloadHandler } from "../../read-api/raw-exports/download.ts";
import { type OpenReadModels, projections } from "./read-models.ts";

/** Serves the files of exports at their signed addresses. */
export function exportDownloads(
  { apps }: Pick<OpenReadModels, "apps">,
  exporting: Knex,
  signingKey: string,
  recordRead: ReadRecorder,
): RequestHandler {
  const models = createReadModels(exporting, projections);
  return downloadHandler({
    rawExportOf: async (reportId) => rawExportOf(await models.live("raw_exports"), reportId),
    rowsOf: rowsOfExport({ apps, models }),
    recordDownload: ({ appId, reportId }, requestId) =>
      recordRead(
        { appId, what: "export_file", reportId },
        // A signed address needs no token: anyone who has it may download the file.
        { actor: { kind: "visitor" }, requestId, occurredAt: new Date().toISOString() },
      ),
    signingKey,
    now: () => new Date(),
  });
}

export function rowsOfExport({ apps, models }: Pick<OpenReadModels, "apps" | "models">) {
  return async function* (
    rawExport: RawExportRow,
    after: RawPlace | null,
    signal?: AbortSignal,
  ): AsyncGenerator<RawPage> {
    const { timezone } = await apps.requireApp(rawExport.appId);
    yield* rawRows(() => models.live("facts"), { ...rawExport, timezone }, after, signal);
  };
}
