import { setTimeout as delay } from "node:timers/promises";
import { fileValidation, type UploadToValidate } from "../../../commands/uploads/file-validation.ts";
import { type UploadPipelineDeps, uploadCompletion, uploadIngest } from "../../../commands/uploads/upload-pipeline.ts";
import type { Validation } from "../../../commands/uploads/validate-upload.ts";
import type { DomainEvent, LogPosition } from "../../../domain/event.ts";
import { appRegistryStream, uploadStream } from "../../../domain/streams.ts";
import type { UploadReceived } from "../../../domain/uploads/events.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { appsProjection } from "../../../projections/apps/projection.ts";
import { storedChannels } from "../../../projections/apps/queries.ts";
import { createProjector } from "../../../projections/engine/runner/projector.ts";
import { facts } from "../../../projections/facts/projection.ts";
import { createReadModels } from "../../../projections/read-models.ts";
import { uploadsProjection } from "../../../projections/uploads/projection.ts";
import { openUploads, type UploadRow, uploadOf } from "../../../projections/uploads/queries.ts";
import { shop, shopRegistered } from "../../examples/app.ts";
import { uploadId } from "../../examples/uploads.ts";
import { silentEngineLog } from "../../projections/engine/engine-log.ts";
import { openStores, type Stores } from "../../projections/engine/stores.ts";
import { awakeReactor, type ReactorFailure, testRuntime } from "../reactors/test-runtime.ts";
import { receiveUpload } from "./receive.ts";

/** What the pipeline records stands at this instant, unless a test moves its clock. */
export const processedAt = "2026-04-01T02:00:00.000Z";

type Validate = (upload: UploadToValidate) => Promise<Validation>;

/** The upload pipeline on an event store and a Postgres of its own, with the projections that it lives on. */
export interface Pipeline {
  readonly stores: Stores;
  readonly failures: ReactorFailure[];
  /** Changes what the pipeline meets, to test how it takes it. */
  readonly circumstances: {
    log: EventLog;
    validate: (upload: UploadToValidate, really: Validate) => Promise<Validation>;
    factsHavePassed: (position: bigint, really: (position: bigint) => Promise<boolean>) => Promise<boolean>;
    now: () => Date;
  };
  /** Puts a file in the log, as its POST would. */
  receive(number: number, file: string, more?: Partial<UploadReceived["data"]>): Promise<LogPosition>;
  /** What an upload's stream says. */
  events(number: number): Promise<readonly DomainEvent[]>;
  types(number: number): Promise<readonly string[]>;
  isEnded(number: number): Promise<boolean>;
  /** Puts everything back to what is usual. */
  calm(): void;
  /** Wakes the pipeline. */
  ring(): void;
  /** Lets a pipeline run until `condition` holds, or the time limit is over; then stops it. */
  runUntil(condition: () => Promise<boolean>): Promise<void>;
  /** Lets a pipeline run until uploads have ended, and reports can see so. */
  runUntilEnded(...numbers: readonly number[]): Promise<void>;
  /** Rows of a campaign that are in force, as reports would sum them. */
  sums(campaign: string): Promise<readonly object[]>;
  close(): Promise<void>;
}

const giveUpMs = 20_000;
const pollMs = 5;
const ends = /UploadSucceeded|UploadRejected|UploadFailed/;

export async function startPipeline(): Promise<Pipeline> {
  const stores = await openStores();
  const { db, log } = stores;
  const registered = await stores.append(appRegistryStream, shopRegistered);
  const projections = [appsProjection, uploadsProjection, facts];
  const projector = createProjector({ db, log, projections, engineLog: silentEngineLog });
  const models = createReadModels(db, projections);
  await projector.start();
  for (const group of ["control", "facts"] as const) {
    if (!(await projector.waitForPosition(group, registered, giveUpMs)))
      throw new Error(`No ${group} in ${giveUpMs} ms`);
  }

  const runtime = testRuntime(() => circumstances.now());
  const { failures } = runtime;
  projector.onCommit(runtime.wake);
  const usual: Pipeline["circumstances"] = {
    log,
    validate: (upload, really) => really(upload),
    factsHavePassed: (position, really) => really(position),
    now: () => new Date(processedAt),
  };
  const circumstances = { ...usual };
  const validate = fileValidation({
    log,
    channels: async () => storedChannels(await models.live("apps")),
    timezoneOf: async () => shop.timezone,
  });
  const waitForPosition = (position: bigint): Promise<boolean> =>
    projector.waitForPosition("facts", { commit: position, prepare: position }, 0);
  /** A pipeline as it is started anew. */
  const startReactors = () => {
    const deps: UploadPipelineDeps<UploadRow> = {
      log: circumstances.log,
      openUploads: async (max) => openUploads(await models.live("uploads"), max),
      validate: (upload) => circumstances.validate(upload, validate),
      factsHavePassed: (position) => circumstances.factsHavePassed(position, waitForPosition),
      now: () => circumstances.now(),
    };
    return runtime.start([awakeReactor(uploadIngest(deps)), awakeReactor(uploadCompletion(deps))]);
  };
  const events = async (number: number): Promise<readonly DomainEvent[]> => {
    const found: DomainEvent[] = [];
    for await (const { type, data } of log.read(uploadStream(uploadId(number)))) found.push({ type, data });
    return found;
  };
  const types = async (number: number) => (await events(number)).map(({ type }) => type);
  const isEnded = async (number: number) => ends.test((await types(number)).at(-1) ?? "");
  const isShownAsEnded = async (number: number): Promise<boolean> => {
    const row = await uploadOf(await models.live("uploads"), shop.appId, uploadId(number));
    return row?.status === "succeeded" || row?.status === "failed";
  };
  const runUntil = async (condition: () => Promise<boolean>): Promise<void> => {
    const stop = startReactors();
    const deadline = performance.now() + giveUpMs;
    try {
      while (!(await condition())) {
        await delay(pollMs);
        if (performance.now() > deadline) throw new Error(`Not within ${giveUpMs} ms: ${failures}`);
      }
    } finally {
      await stop();
    }
  };

  return {
    stores,
    failures,
    circumstances,
    receive: (number, file, more) => receiveUpload(stores, number, file, more),
    events,
    types,
    isEnded,
    ring: runtime.wake,
    calm: () => {
      Object.assign(circumstances, usual);
      failures.length = 0;
    },
    runUntil,
    runUntilEnded: (...numbers) =>
      runUntil(async () => (await Promise.all(numbers.map(isShownAsEnded))).every((isShown) => isShown)),
    sums: async (campaign) => {
      const { schema } = await models.live("facts");
      const { rows } = await db.raw(
        `select channel, sum(impressions)::int as impressions, sum(clicks)::int as clicks, sum(cost)::text as cost
         from ${schema}.spend where app_id = :appId and from_position is not null and replaced_by is null and campaign = :campaign
         group by channel order by channel`,
        { campaign, appId: shop.appId },
      );
      return rows;
    },
    close: async () => {
      await projector.stop();
      await stores.close();
    },
  };
}
