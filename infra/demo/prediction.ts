import { type ApiClient, createClient, formOf, required } from "../../client/index.ts";
import type { RunFile } from "../data-directory/run-file.ts";
import { eventStoreAccess } from "../event-log/event-store-access.ts";
import { createEventLog } from "../event-log/eventstore-event-log.ts";
import { streamsOfInstance } from "../event-log/stream-names.ts";
import { ModelRuntimeMissing } from "../scoring/scorer-process.ts";
import { type TrainedBundle, trainBundle } from "../training/train-bundle.ts";
import { TrainingImpossible } from "../training/training-impossible.ts";
import { figure, times } from "../training/training-report.ts";

interface Served {
  readonly run: RunFile;
  readonly app: string;
  readonly sdkToken: string;
}

/** Trains a bundle on the log, activates it, and requests the context of a device. */
export async function predict(
  { run, app, sdkToken }: Served,
  operator: ApiClient,
  seed: number,
  deviceId: string,
  print: (line: string) => void,
): Promise<void> {
  try {
    const trained = await trainOnLog(run, app, seed);
    const { bundleId, installs, models } = trained.report;
    print(`\nTrained bundle ${bundleId} on ${installs.trained} installs of the log; on ${installs.heldOut} held out:`);
    for (const [name, { heldOut }] of Object.entries(models)) {
      print(`  ${name.padEnd(12)} AUC ${figure(heldOut.auc)}, high over low ${times(heldOut.lift)}`);
    }
    await activateBundle(operator, app, trained);
    print(`It is active now; the context of ${deviceId}:\n`);
    print(`${JSON.stringify(await requestContext(run, sdkToken, app, deviceId), null, 2)}\n`);
  } catch (failure) {
    if (!(failure instanceof TrainingImpossible || failure instanceof ModelRuntimeMissing)) throw failure;
    print(`\nNo bundle was trained: ${failure.message}\n`);
  }
}

const deadlineMs = 30_000;
/** How long to wait for the models of a bundle to be loaded. */
const loadingMs = 30_000;

/** Trains a bundle on the log of a running instance, as `touchledger train` does. */
async function trainOnLog(run: RunFile, app: string, seed: number): Promise<TrainedBundle> {
  const names = streamsOfInstance(run.eventStreamPrefix);
  const log = createEventLog({ ...eventStoreAccess(run.eventStoreUrl), names, deadlineMs });
  try {
    return await trainBundle({ log, app, seed, now: Date.now() });
  } finally {
    await log.close();
  }
}

/** Registers a trained bundle and activates it for an app. */
async function activateBundle(operator: ApiClient, app: string, { manifest, files }: TrainedBundle): Promise<void> {
  const formFiles = ["manifest.json", ...Object.values(manifest.models).map(({ file }) => file)].map((name) => ({
    name,
    content: Uint8Array.from(files.get(name) ?? []),
  }));
  required(await operator.POST("/admin/v1/model-bundles", { body: formOf(formFiles) as never }));
  const params = { path: { app_name: app } };
  const body = { bundleId: manifest.bundleId };
  required(await operator.PUT("/admin/v1/apps/{app_name}/model-bundle", { params, body }));
}

/** Requests the context of a device, identified by the id that its SDK sends; returns the body. */
async function requestContext({ apiUrl }: RunFile, sdkToken: string, app: string, deviceId: string): Promise<object> {
  const sdk = createClient({ baseUrl: apiUrl, token: sdkToken, retryMs: loadingMs });
  const params = { path: { app_name: app, deviceId } };
  const { data } = required(await sdk.GET("/events/v1/apps/{app_name}/devices/{deviceId}", { params }));
  return required(await sdk.POST("/entry/inference/v1/context", { body: data }));
}
