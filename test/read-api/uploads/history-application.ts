import { randomUUID } from "node:crypto";
import type { Actor, LogPosition } from "../../../domain/event.ts";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import { logIdentityStream, uploadStream } from "../../../domain/streams.ts";
import type { UploadEvent, UploadIngested } from "../../../domain/uploads/events.ts";
import { readUploadLog } from "../../../infra/composition/http.ts";
import type { ExpectedRevision } from "../../../infra/event-log/event-log.ts";
import { createPositionAsOf } from "../../../infra/event-log/log-moments.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { appsProjection } from "../../../projections/apps/projection.ts";
import { passedPosition } from "../../../projections/engine/checkpoints/checkpoint.ts";
import { logClockReader } from "../../../projections/engine/checkpoints/log-clock.ts";
import { createProjector } from "../../../projections/engine/runner/projector.ts";
import { facts } from "../../../projections/facts/projection.ts";
import { createReadModels } from "../../../projections/read-models.ts";
import { uploadsProjection } from "../../../projections/uploads/projection.ts";
import { uploadRoutes } from "../../../read-api/read-api.ts";
import { metricUpload, spendUpload } from "../../examples/uploaded-rows.ts";
import { anUpload } from "../../examples/uploads.ts";
import { silentEngineLog } from "../../projections/engine/engine-log.ts";
import { type Administration, startAdministration } from "../../support/administration.ts";
import { testPostgres } from "../../support/stores.ts";

/** The read API of uploads over an event log, projections and HTTP, with two apps and their owners. */
export interface HistoryApplication extends Administration {
  /** Texts of tokens. */
  readonly owner: string;
  readonly otherOwner: string;
  /** Id of the token that uploads, which is labelled `finance`. */
  readonly uploaderId: string;
  /** Appends to the upload's stream, receipts as the uploader and the rest as the pipeline; returns the positions. */
  upload(requestId: string, ...events: readonly UploadEvent[]): Promise<readonly bigint[]>;
  /** Waits until the read models have passed the head of the log. */
  projected(): Promise<void>;
}

const uploader = { kind: "api", role: "in_house_marketer", label: "finance" };
const timeoutMs = 20_000;
const projections = [appsProjection, uploadsProjection, facts];

export async function startHistoryApplication(): Promise<HistoryApplication> {
  const db = openDatabase(await testPostgres(), { max: 10, applicationName: "test" });
  const models = createReadModels(db, projections);
  // The routes are built before the log is open.
  const application: Administration = await startAdministration({
    routes: uploadRoutes({
      live: models.live,
      uploadLog: {
        uploadEvents: (requestId) => uploadLog().uploadEvents(requestId),
        uploadedFile: (requestId, hash) => uploadLog().uploadedFile(requestId, hash),
        positionAsOf: (asOf) => uploadLog().positionAsOf(asOf),
      },
    }),
  });
  const { log } = application;
  let occurred = firstOccurred;
  const positionAsOf = createPositionAsOf({
    clock: logClockReader(db),
    log,
    passedPosition: () => passedPosition(db, "facts"),
    passed: (position, timeoutMs) =>
      projector.waitForPosition("facts", { commit: position, prepare: position }, timeoutMs),
  });
  const uploadLog = () => readUploadLog(log, positionAsOf);
  const revisions = new Map<string, bigint>();
  const append = async (stream: string, actor: Actor, event: StoredEvent): Promise<LogPosition> => {
    const expected: ExpectedRevision = revisions.get(stream) ?? "no_stream";
    const metadata = { ...cause, actor, occurredAt: new Date(occurred).toISOString() };
    occurred += 1_000;
    const appended = await log.append(stream, expected, [{ id: randomUUID(), ...event, metadata }]);
    if (appended.outcome !== "appended") throw new Error(`Another writer on ${stream}`);
    revisions.set(stream, appended.revision);
    return appended.position;
  };
  await append(logIdentityStream, { kind: "operator" }, { type: "LogOpened", data: { logId: randomUUID() } });
  const owner = (await application.registerApp("shop")).tokens.api ?? "";
  const otherOwner = (await application.registerApp("cafe")).tokens.api ?? "";
  const issued = await application.call("POST", "/admin/v1/apps/shop/tokens", { token: owner, body: uploader });
  const uploaderId = (issued.json as { data: { token: { id: string } } }).data.token.id;
  const projector = createProjector({ db, log, projections, engineLog: silentEngineLog });
  await projector.start();

  return {
    ...application,
    owner,
    otherOwner,
    uploaderId,
    upload: async (requestId, ...events) => {
      const positions: bigint[] = [];
      for (const event of events) {
        const actor: Actor =
          event.type === "UploadReceived"
            ? { kind: "token", tokenId: uploaderId, role: uploader.role }
            : { kind: "reactor", name: "uploads" };
        positions.push((await append(uploadStream(requestId), actor, event)).commit);
      }
      return positions;
    },
    projected: async () => {
      const head = await log.headPosition();
      const groups = await Promise.all(
        (["control", "facts"] as const).map((group) => projector.waitForPosition(group, head, timeoutMs)),
      );
      if (groups.includes(false)) throw new Error("The read models have not passed the head in time");
    },
    close: async () => {
      await projector.stop();
      await application.close();
      await db.destroy();
    },
  };
}

const cause = { requestId: "example-run", correlationId: "c", causationId: "c", schemaVersion: 1 };
const firstOccurred = Date.parse("2026-04-01T00:00:00.000Z");

/** Every event of an upload of spend that succeeds. */
export function wholeSpend(
  number: number,
  rows: Parameters<typeof spendUpload>[1],
  options: Parameters<typeof spendUpload>[2] = {},
): readonly UploadEvent[] {
  const { received } = anUpload(number, { kind: options.kind ?? "ad_spend" });
  return whole(number, received, spendUpload(number, rows, options));
}

/** Every event of a metric upload that succeeds. */
export function wholeMetric(number: number, rows: Parameters<typeof metricUpload>[1]): readonly UploadEvent[] {
  return whole(number, anUpload(number, { kind: "metric" }).received, metricUpload(number, rows));
}

function whole(
  number: number,
  received: UploadEvent,
  { staged, ingested }: { readonly staged: readonly UploadEvent[]; readonly ingested: UploadIngested },
): readonly UploadEvent[] {
  const { requestId, rows } = ingested.data;
  const validated = { requestId, rows, validatedAt: "2026-04-01T00:00:01.000Z" };
  return [received, { type: "UploadValidated", data: validated }, ...staged, ingested, anUpload(number).succeeded];
}
