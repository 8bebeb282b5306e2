import { type ApiClient, createApiClient } from "../api-client/api-client.ts";
import type { RunFile } from "../data-directory/run-file.ts";
import { eventStoreAccess } from "../event-log/event-store-access.ts";
import { createEventLog } from "../event-log/eventstore-event-log.ts";
import { type TrainedBundle, trainBundle } from "../training/train-bundle.ts";

const deadlineMs = 30_000;

/** Trains a bundle on the log of a running instance, as `touchledger train` does. */
export async function trainOnLog({ eventStoreUrl }: RunFile, app: string, seed: number): Promise<TrainedBundle> {
  const log = createEventLog({ ...eventStoreAccess(eventStoreUrl), deadlineMs });
  try {
    return await trainBundle({ log, app, seed, now: Date.now() });
  } finally {
    await log.close();
  }
}

/** Registers a trained bundle and has it answer for an app. */
export async function activateBundle(
  operator: ApiClient,
  app: string,
  { manifest, files }: TrainedBundle,
): Promise<void> {
  const sent = ["manifest.json", ...Object.values(manifest.models).map(({ file }) => file)].map((name) => ({
    name,
    content: Uint8Array.from(files.get(name) ?? []),
  }));
  await operator.sendFiles("/admin/v1/model-bundles", sent);
  await operator.send("PUT", `/admin/v1/apps/${app}/model-bundle`, { bundleId: manifest.bundleId });
}

/** Asks for the context of a device, by the id that its SDK sends; answers the body of the answer. */
export async function askContext(
  { baseUrl }: RunFile,
  sdkToken: string,
  app: string,
  deviceId: string,
): Promise<object> {
  const sdk = createApiClient({ baseUrl, token: sdkToken });
  const device = (await sdk.send("GET", `/events/v1/apps/${app}/devices/${deviceId}`)) as {
    data: { userId: string };
  };
  return (await sdk.send("POST", "/entry/inference/v1/context", device.data)) as object;
}
