import type { PropertyKey } from "../../domain/raw-exports/properties.ts";
import { createHttpApp } from "../../infra/http/server/http-app.ts";
import { listen } from "../../infra/http/server/http-server.ts";
import { openDatabase } from "../../infra/postgres/database.ts";
import { rawRows } from "../../projections/raw-exports/rows.ts";
import { measureCsvFile } from "../../read-api/raw-exports/csv-file.ts";
import { downloadHandler } from "../../read-api/raw-exports/download.ts";
import { downloadPath, signedUrl } from "../../read-api/raw-exports/signed-url.ts";
import { exported } from "./raw-export.ts";

/**
 * Serves downloads of one export, in its own process, from the generated facts in schema `BENCH_FACTS` of the database
 * `BENCH_DATABASE`. Prints JSON: the URL, and the description of the file that the exporter would have recorded.
 */
const db = openDatabase(process.env.BENCH_DATABASE ?? "", { max: 4, applicationName: "bench" });
const model = { db, schema: process.env.BENCH_FACTS ?? "" };
const rowsOf = (after: Parameters<typeof rawRows>[2]) => rawRows(async () => model, exported, after);
const reportId = 100_000_001;
const signingKey = "bench";

const since = performance.now();
const file = await measureCsvFile(exported.query.properties as readonly PropertyKey[], rowsOf(null));
const describedMs = performance.now() - since;
const app = createHttpApp();
app.all(
  downloadPath,
  downloadHandler({
    rawExportOf: async () => ({ ...exported, ...file, reportId, stage: "completed" }),
    rowsOf: (_one, after) => rowsOf(after),
    recordDownload: async () => {},
    signingKey,
    now: () => new Date(),
  }),
);
const server = await listen(app, { host: "127.0.0.1", port: 0 });
const url = signedUrl(`http://127.0.0.1:${server.port}`, signingKey, reportId, new Date());
process.stdout.write(`${JSON.stringify({ url, describedMs, ...file })}\n`);

process.on("SIGTERM", async () => {
  await server.close(AbortSignal.timeout(1_000));
  await db.destroy();
  process.exit(0);
});
