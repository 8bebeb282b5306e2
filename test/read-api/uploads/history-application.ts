import { randomUUID } from "node:crypto";
import type { Knex } from "knex";
import { readFile } from "../../../commands/file-chunks.ts";
import type { Actor, LogPosition } from "../../../domain/event.ts";
import { uploadStream } from "../../../domain/streams.ts";
import type { SpendRow, UploadEvent, UploadIngested } from "../../../domain/uploads/events.ts";
import { createPositionAsOf } from "../../../infra/event-log/as-of-positions.ts";
import { facts } from "../../../projections/facts/projection.ts";
import { uploadsProjection } from "../../../projections/uploads/projection.ts";
import { uploadRoutes } from "../../../read-api/read-api.ts";
import { metricUpload, spendUpload } from "../../examples/uploaded-rows.ts";
import { anUpload, uploadId } from "../../examples/uploads.ts";
import { createFacts } from "../../projections/facts/facts-tables.ts";
import { type Administration, startAdministration } from "../../support/administration.ts";

/** The read API of uploads over an event log, read models and HTTP, with two apps and three uploads of spend. */
export interface HistoryApplication extends Administration {
  /** Texts of tokens. */
  readonly owner: string;
  readonly otherOwner: string;
  /** Id of the token that uploads, which is labelled `finance`. */
  readonly uploaderId: string;
  /** Positions of the events of the three uploads, in order. */
  readonly positions: readonly (readonly bigint[])[];
  /** Appends to the upload's stream, receipts as the uploader and the rest as the pipeline; returns the positions. */
  upload(requestId: string, ...events: readonly UploadEvent[]): Promise<readonly bigint[]>;
}

const uploader = { kind: "api", role: "in_house_marketer", label: "finance" };
/** No clock of the log: instants are found by reading the log from its start. */
const clock = { positionAt: async () => null, lastTickUpTo: async () => null };

export async function startHistoryApplication(): Promise<HistoryApplication> {
  const waitForPosition = async (position: bigint) => (await project()) >= position;
  const application: Administration = await startAdministration({
    projections: [uploadsProjection],
    routes: ({ log, readModel }) => {
      const factsAsOf = createPositionAsOf({ clock, log, passedPosition: () => project(), waitForPosition });
      const live = async (projection: string) => (projection === facts.name ? tables : readModel());
      return uploadRoutes({
        ...{ live, log, factsAsOf },
        readFile: (stream, sha256) => readFile(log, stream, sha256),
      });
    },
  });
  const { log } = application;
  const tables = await createFacts(application.readModel().db as Knex);
  let applied: LogPosition | "start" = "start";
  const project = async (): Promise<bigint> => {
    for await (const event of log.readAll(applied, 10_000)) {
      if (facts.handles.some((type) => type === event.type)) await tables.apply([event]);
      applied = event.position;
    }
    return application.project();
  };
  const owner = (await application.registerApp("shop")).tokens.api ?? "";
  const otherOwner = (await application.registerApp("cafe")).tokens.api ?? "";
  const issued = await application.call("POST", "/admin/v1/apps/shop/tokens", { token: owner, body: uploader });
  const uploaderId = (issued.json as { data: { token: { id: string } } }).data.token.id;
  let occurred = firstOccurred;
  const upload: HistoryApplication["upload"] = async (requestId, ...events) => {
    const positions: bigint[] = [];
    for (const [revision, event] of events.entries()) {
      const actor: Actor =
        event.type === "UploadReceived"
          ? { kind: "token", tokenId: uploaderId, role: uploader.role }
          : { kind: "reactor", name: "uploads" };
      const metadata = { ...cause, actor, occurredAt: new Date(occurred).toISOString() };
      occurred += 1_000;
      const expected = revision === 0 ? "no_stream" : BigInt(revision - 1);
      const appended = await log.append(uploadStream(requestId), expected, [{ id: randomUUID(), ...event, metadata }]);
      if (appended.outcome !== "appended") throw new Error(`Another writer on ${requestId}`);
      positions.push(appended.position.commit);
    }
    await project();
    return positions;
  };
  const [first, second] = [
    wholeSpend(1, [on(1, "spring"), on(1, "summer"), on(2, "spring")], { rowsOfChunk: 2 }),
    wholeSpend(2, [on(1, "spring"), on(3, "winter")]),
  ];
  const third = wholeSpend(3, [on(1, "spring"), on(1, "summer")], { kind: "legacy_cost" });
  const positions = [await upload(uploadId(1), ...first), await upload(uploadId(2), ...second)];
  positions.push(await upload(uploadId(3), ...third));
  return { ...application, owner, otherOwner, uploaderId, positions, upload };
}

const cause = { requestId: "example-run", correlationId: "c", causationId: "c", schemaVersion: 1 };
const firstOccurred = Date.parse("2026-04-01T00:00:01.000Z");

/** Part of a row on a day in March. */
export const on = (day: number, campaign: string): Partial<SpendRow> => ({
  date: `2026-03-0${day}`,
  campaignParams: { campaign },
});

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
