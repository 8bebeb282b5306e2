import type { RecordedEvent, StoredEvent } from "../domain/event-catalogue.ts";
import type { Route } from "../infra/http/routing/route.ts";
import { openDatabase } from "../infra/postgres/database.ts";
import type { Projection, ReadModel } from "../projections/projection.ts";
import { rawExportsProjection } from "../projections/raw-exports/projection.ts";
import { listRawExports } from "../projections/raw-exports/queries.ts";
import { reportTasksProjection } from "../projections/report-tasks/projection.ts";
import { listReportTasks, reportTasksAt } from "../projections/report-tasks/queries.ts";
import { uploadsProjection } from "../projections/uploads/projection.ts";
import { listUploads } from "../projections/uploads/queries.ts";
import { rawExportReadRoutes } from "../read-api/raw-exports/routes.ts";
import { reportTaskListRoute } from "../read-api/report-tasks/list-route.ts";
import { uploadReadRoutes } from "../read-api/uploads/routes.ts";
import { recordedAt } from "../test/examples/recorded-log.ts";
import { anUpload, uploadId } from "../test/examples/uploads.ts";
import { serveRoutes } from "../test/support/served-routes.ts";
import { testPostgres } from "../test/support/stores.ts";
import { type BenchLine, below } from "./support/bench-line.ts";

const items = 100_000;
const perBatch = 5_000;
const pageSize = 100;
const requests = 101;
const maxMs = 20;

/** A list with 100,000 items of one app. */
interface BenchList {
  readonly name: string;
  readonly projection: Projection;
  /** The events of an item; one item of a hundred has failed, or was rejected or canceled. */
  eventsOf(number: number): readonly StoredEvent[];
  routes(readModel: ReadModel): readonly Route[];
  readonly path: string;
  /** Queries of the list by their description. */
  readonly queries: { readonly [description: string]: string };
}

const unused: never = (() => {
  throw new Error("No bench uses this dependency");
}) as never;
const isException = (number: number): boolean => number % 100 === 99;
const lastPage = `skip=${items - pageSize}`;
const middlePage = `skip=${items / 2}`;
const range = { from: "2026-03-01", to: "2026-03-01" };
const requestedAt = "2026-04-01T00:00:00.000Z";

const lists: readonly BenchList[] = [
  {
    name: "uploads",
    projection: uploadsProjection,
    eventsOf: (number) => {
      // One every five minutes, for nearly a year.
      const receivedAt = new Date(Date.UTC(2025, 4, 1, 0, 5 * number)).toISOString();
      const { received, validated, ingested, succeeded, rejected } = anUpload(number, { receivedAt });
      return isException(number) ? [received, rejected] : [received, validated, ingested, succeeded];
    },
    routes: (readModel) =>
      uploadReadRoutes({
        listUploads: (list) => listUploads(readModel, list),
        uploadOf: unused,
        uploadedFile: unused,
      }),
    path: "/self-serve-data/v1/ad-spend/requests",
    queries: {
      "first page": "",
      "middle page": middlePage,
      "last page": lastPage,
      "of a status": "status=failed",
      "of dates": "from=2025-09-01&to=2026-02-28",
    },
  },
  {
    name: "report tasks",
    projection: reportTasksProjection,
    eventsOf: (number) => {
      const query = { ...range, groupBys: ["channel"], filters: [], metrics: ["clicks"], sorts: [] };
      const taskId = uploadId(number);
      const request = { taskId, appId: 1, report: "actuals", query, onlyChannels: null, requestedAt } as const;
      const end = { taskId, endedAt: requestedAt };
      const succeeded = { ...end, rowCount: 1, rowsHash: "ab".repeat(32), notifications: [] };
      return [
        { type: "ReportRequested", data: request },
        isException(number) ? { type: "ReportCanceled", data: end } : { type: "ReportSucceeded", data: succeeded },
      ];
    },
    routes: (readModel) => [
      reportTaskListRoute({
        kinds: ["actuals", "revenue"],
        listReportTasks: (list) => listReportTasks(readModel, list),
        reportTasksAt: (appId, positions) => reportTasksAt(readModel, appId, positions),
      }),
    ],
    path: "/admin/v1/apps/shop/report-tasks",
    queries: {
      "first page": "",
      "last page": lastPage,
      "of a status": "status=CANCELED",
      "of a kind": "kind=actuals",
    },
  },
  {
    name: "exports",
    projection: rawExportsProjection,
    eventsOf: (number) => {
      const range = { type: "app", start: "2026-03-01 00:00:00", end: "2026-03-01 23:59:59", filters: [] } as const;
      const query = { ...range, events: ["app_install"], properties: ["event_id"] };
      return [
        {
          type: "ExportRequested",
          data: { reportId: number, appId: 1, commandId: uploadId(number), query, requestedAt },
        },
        isException(number)
          ? { type: "ExportFailed", data: { reportId: number, reason: "internal_error", failedAt: requestedAt } }
          : {
              type: "ExportCompleted",
              data: {
                reportId: number,
                rows: 1,
                bytes: 1,
                sha256: "ab".repeat(32),
                resumePoints: [],
                completedAt: requestedAt,
              },
            },
      ] as readonly StoredEvent[];
    },
    routes: (readModel) =>
      rawExportReadRoutes({
        listRawExports: (list) => listRawExports(readModel, list),
        ...{ rawExportOf: unused, recordRead: unused, now: unused },
        ...{ baseUrl: "https://api.example", signingKey: "key" },
      }),
    path: "/admin/v1/apps/shop/exports",
    queries: { "first page": "", "last page": lastPage, "of a status": "status=failed" },
  },
];

/**
 * Pages of 100 of the lists of uploads, report tasks and exports with 100,000 items, over HTTP. Next to each a bare
 * `count(*)` of its table, because each response has the number of all items.
 */
export async function benchLists(): Promise<readonly BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const list of lists) lines.push(...(await benchList(list)));
  return lines;
}

async function benchList({
  name,
  projection,
  eventsOf,
  routes,
  path,
  queries,
}: BenchList): Promise<readonly BenchLine[]> {
  const db = openDatabase(await testPostgres(), { max: 4, applicationName: "bench" });
  const schema = "read_model";
  const application = await serveRoutes(routes({ db, schema }));
  try {
    await db.raw(`create schema ${schema}`);
    await db.transaction((trx) => projection.createTables(trx, schema));
    for (let first = 0; first < items; first += perBatch) {
      const batch = Array.from({ length: perBatch }, (_, index) => first + index).flatMap((number) =>
        eventsOf(number).map((event, step): RecordedEvent => recordedAt(BigInt(10 * number + step + 10), event)),
      );
      await db.transaction((trx) => projection.apply(trx, schema, batch));
    }
    const tables = Object.keys(projection.tables);
    for (const table of tables) await db.raw(`vacuum analyze ${schema}.${table}`);
    const bare = await medianOf(() => db.raw(`select count(*) from ${schema}.${tables[0]}`));
    const lines: BenchLine[] = [];
    for (const [description, query] of Object.entries(queries)) {
      const measured = await medianOf(async () => {
        const response = await fetch(`http://127.0.0.1:${application.port}${path}?size=${pageSize}&${query}`, {
          headers: { authorization: "Bearer owner" },
        });
        const { data } = (await response.json()) as { data: { [member: string]: unknown } };
        const { length = 0 } = Object.values(data).find(Array.isArray) ?? [];
        if (length !== pageSize) throw new Error(`${path}?${query} returned ${length} items`);
      });
      lines.push(
        below(
          maxMs,
          { path: `list of ${pageSize} ${name} among ${items}, ${description}`, measured, unit: "ms" },
          bare,
        ),
      );
    }
    return lines;
  } finally {
    await application.close();
    await db.destroy();
  }
}

async function medianOf(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let number = 0; number < requests; number += 1) {
    const since = performance.now();
    await run();
    times.push(performance.now() - since);
  }
  return times.sort((one, other) => one - other)[Math.floor(requests / 2)] ?? 0;
}
