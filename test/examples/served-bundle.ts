import type { RunningApplication } from "../support/application-process.ts";
import { manifest, modelFiles } from "./model-bundles.ts";

/** Registers a bundle over HTTP, as `touchledger bundle add` does. */
export async function registerBundle(
  { run }: RunningApplication,
  bundle: object,
  files: readonly (readonly [name: string, bytes: Uint8Array])[],
): Promise<void> {
  const form = new FormData();
  form.append("manifest", new Blob([JSON.stringify(bundle)]), "manifest.json");
  for (const [name, bytes] of files) form.append("model", new Blob([Uint8Array.from(bytes)]), name);
  const response = await fetch(`${run.baseUrl}/admin/v1/model-bundles`, {
    method: "POST",
    headers: { authorization: `Bearer ${run.adminToken}` },
    body: form,
  });
  if (response.status !== 201) throw new Error(`The bundle was refused: ${await response.text()}`);
}

/** Registers the first bundle and makes it answer for every app. */
export async function serveSpringBundle(application: RunningApplication): Promise<void> {
  const { d3_purchase, d3_churn } = manifest.models;
  await registerBundle(application, manifest, [
    [d3_purchase.file, modelFiles.d3_purchase],
    [d3_churn.file, modelFiles.d3_churn],
  ]);
  await application.operator.send("PUT", "/admin/v1/model-bundle", { bundleId: manifest.bundleId });
}
