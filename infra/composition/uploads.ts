import type { Gauge } from "prom-client";
import { fileValidation } from "../../commands/uploads/file-validation.ts";
import { runUploads } from "../../commands/uploads/upload-pipeline.ts";
import type { UploadEvent } from "../../domain/uploads/events.ts";
import { storedChannels } from "../../projections/apps/queries.ts";
import { openUploads, type UploadRow } from "../../projections/uploads/queries.ts";
import type { EventLog } from "../event-log/event-log.ts";
import type { Log } from "../process/log.ts";
import type { House } from "./read-models.ts";

export interface UploadPipelineParts extends Pick<House, "apps" | "models" | "projector"> {
  readonly eventLog: EventLog;
  readonly log: Pick<Log, "error">;
  /** In seconds, by reactor. */
  readonly lag: Pick<Gauge, "set">;
}

/** What opens a row of the to-do list, moves one on, or lets reports see its rows. */
const moving: ReadonlySet<string> = new Set(["UploadReceived", "UploadIngested"] satisfies UploadEvent["type"][]);

/** The upload pipeline over the house's own log and read models, until `signal` aborts. */
export function uploadPipeline(parts: UploadPipelineParts, signal: AbortSignal): Promise<void> {
  const { eventLog, apps, models, projector, log, lag } = parts;
  return runUploads<UploadRow>(
    {
      log: eventLog,
      openUploads: async (most) => {
        const open = await openUploads(await models.live("uploads"), most);
        const [oldest] = open;
        const waited = oldest === undefined ? 0 : Date.now() - oldest.receivedAt.getTime();
        lag.set({ reactor: "uploads" }, Math.max(0, waited) / 1_000);
        return open;
      },
      judge: fileValidation({
        log: eventLog,
        channels: async () => storedChannels(await models.live("apps")),
        timezoneOf: async (appId) => {
          const app = await apps.findAppById(appId);
          if (app === null) throw new Error(`An upload is of app ${appId}, which is unknown`);
          return app.timezone;
        },
      }),
      factsHavePassed: (position) => projector.hasPassed("facts", { commit: position, prepare: position }, 0),
      onProgress: (listener) =>
        projector.onCommit((_group, batch) => {
          if (batch.some(({ type }) => moving.has(type))) listener();
        }),
      failed: (failure, requestId) =>
        log.error({ err: failure, requestId }, "an upload could not be processed; trying again"),
      now: () => new Date(),
    },
    signal,
  );
}
