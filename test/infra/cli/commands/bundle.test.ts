import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createAppDirectory } from "../../../../commands/apps/app-directory.ts";
import { createBundleDirectory } from "../../../../commands/prediction/bundle-directory.ts";
import { bundleRoutes } from "../../../../commands/prediction/bundle-routes.ts";
import { bundleCommand } from "../../../../infra/cli/commands/bundle.ts";
import { writeRunFile } from "../../../../infra/data-directory/run-file.ts";
import type { EventLog } from "../../../../infra/event-log/event-log.ts";
import { bundleReadRoutes } from "../../../../read-api/prediction/bundle-routes.ts";
import { manifest, modelFiles } from "../../../examples/model-bundles.ts";
import { type Administration, adminToken, startAdministration } from "../../../support/administration.ts";
import { temporaryDirectory } from "../../../support/application-process.ts";
import { runCommand } from "../../../support/command-line.ts";

const routes = ({ log }: { readonly log: EventLog }) => {
  const { findAppById } = createAppDirectory(log);
  const bundles = createBundleDirectory(log);
  return [
    ...bundleRoutes({ log, bundles, findAppById, checkModels: async () => [], activated: async () => {} }),
    ...bundleReadRoutes({
      bundles: bundles.list,
      appName: async (appId) => (await findAppById(appId))?.name ?? null,
    }),
  ];
};

let application: Administration;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

const commanding = suite("touchledger bundle");
commanding.before(async () => {
  directory = await temporaryDirectory();
  application = await startAdministration({ routes });
  await application.registerApp("shop");
  const baseUrl = `http://127.0.0.1:${application.port}`;
  await writeRunFile(directory.path, {
    pid: process.pid,
    startedAt: "2026-03-01T00:00:00.000Z",
    version: "0.0.0",
    port: application.port,
    baseUrl: "http://127.0.0.1:1",
    linkBaseUrl: "http://127.0.0.1:1/l",
    apiUrl: "http://127.0.0.1:1",
    operationsUrl: baseUrl,
    eventStoreUrl: "",
    eventStreamPrefix: "",
    databaseUrl: "",
    adminToken,
    adminTokenFile: null,
  });
  process.env.DATA_DIR = directory.path;
  delete process.env.ADMIN_TOKEN;
});
commanding.after(async () => {
  delete process.env.DATA_DIR;
  await application.close();
  await directory.remove();
});

/** Everything that the command prints, faults and a failure last. */
async function run(...words: readonly string[]): Promise<string> {
  const { out, err, failure } = await runCommand(bundleCommand(), words);
  return [err, out, failure].filter((text) => text !== "").join("\n");
}

async function bundleIn(name: string, bundleId: string, change: object = {}): Promise<string> {
  const path = join(directory.path, name);
  await mkdir(path);
  await writeFile(join(path, "manifest.json"), JSON.stringify({ ...manifest, bundleId, ...change }));
  for (const [model, bytes] of Object.entries(modelFiles)) await writeFile(join(path, `${model}.onnx`), bytes);
  return path;
}

commanding("add registers the bundle in a directory, list and show print it", async () => {
  const spring = await bundleIn("spring", "spring-1");
  assert.is(await run("add", spring), "Bundle spring-1 is registered; it serves where it is activated.");
  await run("add", await bundleIn("summer", "summer-1"));
  assert.match(
    await run("list"),
    /^bundle +trained +registered +features +state\n[- ]+\nsummer-1 +2026-03-01T00:00:00.000Z +\S+ +3 {2}not active\nspring-1 .* 3 {2}not active$/,
  );
  const shown = await run("show", "spring-1");
  assert.match(shown, /^features +click_count, latency_s, is_attributed$/m);
  const { file, sha256, cutPoints } = manifest.models.d3_churn;
  const row = `^d3_churn +${file} +${sha256} +features +probability +`;
  assert.match(shown, new RegExp(row + JSON.stringify(cutPoints).replaceAll(/[[\].]/g, "\\$&"), "m"));
});

commanding("add prints faults as a table", async () => {
  const broken = await bundleIn("broken", "broken-1");
  await writeFile(join(broken, "d3_churn.onnx"), "another");
  await rm(join(broken, "d3_purchase.onnx"));
  assert.is(
    await run("add", broken),
    [
      `There is no file ${join(broken, "d3_purchase.onnx")}.`,
      "field                  fault",
      "---------------------  --------------------------------------------",
      "body.d3_purchase.onnx  is required",
      "body.d3_churn.onnx     must have the SHA-256 that the manifest says",
      `ApiCallFailed: http://127.0.0.1:${application.port} refused with 400.`,
    ].join("\n"),
  );
});

commanding("add sends no file from outside of the directory", async () => {
  await writeFile(join(directory.path, "secret"), "a secret");
  const { d3_purchase, d3_churn } = manifest.models;
  const models = { d3_purchase, d3_churn: { ...d3_churn, file: "../secret" } };
  const outside = await bundleIn("outside", "outside-1", { models });
  assert.match(await run("add", outside), /^body\.manifest\.json\.models\.d3_churn\.file {2}must be 1 to 128 /m);
  assert.match(
    await run("add", join(directory.path, "nowhere")),
    /^FileUnusable: There is no file .*manifest\.json\.$/,
  );
});

commanding("activate and retire print the new state, or the reason of a failure", async () => {
  assert.is(await run("activate", "spring-1"), "Bundle spring-1 serves every app that has no bundle of its own.");
  assert.is(await run("activate", "spring-1", "--app", "shop"), "Bundle spring-1 serves shop.");
  assert.match(await run("list"), /^spring-1 .* active by default, for shop$/m);
  assert.match(await run("retire", "spring-1"), /^ApiCallFailed: .* refused with 409: That model bundle is active; /);
  assert.is(await run("retire", "summer-1"), "Bundle summer-1 is retired.");
  assert.match(await run("list"), /^summer-1 .* retired$/m);
  assert.match(await run("activate", "autumn-1"), /refused with 404: There is no such model bundle\. Check/);
  assert.match(await run("activate", "spring-1", "--app", "nobodys"), /refused with 404: There is no such app/);
});

commanding("sends the running instance's token only to that instance", async () => {
  const elsewhere = ["--url", `http://127.0.0.1:${application.port}`];
  assert.is(await run("list", ...elsewhere), "ApiCallFailed: A token is needed: set ADMIN_TOKEN, or give --token.");
  assert.match(await run("list", ...elsewhere, "--token", adminToken), /^bundle /);
  process.env.ADMIN_TOKEN = adminToken;
  assert.match(await run("list", ...elsewhere), /^bundle /);
  process.env.ADMIN_TOKEN = "another";
  assert.match(await run("list"), /^ApiCallFailed: .* refused with 401: /);
  delete process.env.ADMIN_TOKEN;
});

commanding.run();
