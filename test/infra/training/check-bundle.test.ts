import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import { modelBundlesStream, modelFileStream } from "../../../domain/streams.ts";
import { checkBundle } from "../../../infra/training/check-bundle.ts";
import type { Outcome, Quality } from "../../../infra/training/quality.ts";
import { checkText, warningsOf } from "../../../infra/training/report-text.ts";
import { refuseUsedDirectory, writeBundle } from "../../../infra/training/stored-bundle.ts";
import { type TrainedBundle, trainBundle } from "../../../infra/training/train-bundle.ts";
import { shop } from "../../examples/app.ts";
import { logOf, type ReadLog, refusalOf, simulatedEvents } from "./simulated-log.ts";

const test = suite("the check of a bundle");
const now = Date.parse("2026-04-01T06:00:00.000Z");
const day = 86_400_000;
const events = simulatedEvents({ seed: 3, now, devices: 1_500 });

let directory: string;
let trained: TrainedBundle;
test.before(async () => {
  directory = await mkdtemp(join(tmpdir(), "touchledger-bundle-"));
  trained = await trainBundle({ log: logOf(events), app: "shop", seed: 1, now });
  await writeBundle(join(directory, "bundle"), trained.files);
});
test.after(() => rm(directory, { recursive: true, force: true }));

const check = (log: ReadLog, at = now, path: string | null = join(directory, "bundle")) =>
  checkBundle({ log, app: "shop", directory: path, now: at });

test("has the quality of the training report on the training input, without drift and warnings", async () => {
  const checked = await check(logOf(events));
  assert.is(checked.installs, trained.report.installs.used);
  assert.is(checked.unseen, 0);
  assert.equal(checked.models, {
    d3_purchase: trained.report.models.d3_purchase.whole,
    d3_churn: trained.report.models.d3_churn.whole,
  });
  assert.equal(
    checked.drift?.map(({ index }) => index),
    trained.manifest.features.map(() => 0),
  );
  assert.match(checkText(checked), /No warnings\.\n$/);
});

test("counts the installs that training could not have used", async () => {
  const checked = await check(logOf(events), now + 5 * day);
  assert.ok(checked.unseen > 0);
  assert.is(checked.unseen, checked.installs - trained.report.installs.used);
});

test("warns of features that are distributed otherwise than in training", async () => {
  const checked = await check(logOf(events.filter(({ type }) => type === "AppEventRecorded")));
  const drifted = warningsOf(checked).filter((warning) => warning.includes("no longer distributed"));
  assert.ok(drifted.some((warning) => warning.startsWith("click_count ")));
  assert.not.ok(drifted.some((warning) => warning.startsWith("install_hour_sin ")));
});

test("takes the bundle activated last for the app, else the one for all apps, from the log", async () => {
  const { training, ...manifest } = trained.manifest;
  const registered = (bundleId: string): StoredEvent => ({
    type: "BundleRegistered",
    data: { ...manifest, training: null, bundleId, contentHash: "" },
  });
  const activated = (bundleId: string, appId: number | null): StoredEvent => ({
    type: "BundleActivated",
    data: { bundleId, appId },
  });
  const files = Object.values(manifest.models).map(({ file, sha256 }) => {
    const bytes = trained.files.get(file) ?? new Uint8Array();
    const chunks: readonly StoredEvent[] = [bytes.slice(0, 100), bytes.slice(100)].map((data) => ({
      type: "FileChunk",
      data,
    }));
    return [modelFileStream(sha256), chunks] as const;
  });
  const active = async (...activations: readonly StoredEvent[]) => {
    const stream = [registered("one"), registered("two"), registered("three"), ...activations];
    return check(logOf(events, { ...Object.fromEntries(files), [modelBundlesStream]: stream }), now, null);
  };
  const usual = await active(activated("one", null), activated("two", null), activated("three", shop.appId + 1));
  assert.equal([usual.bundleId, usual.drift], ["two", null]);
  assert.match(checkText(usual), /their drift is unknown/);
  const own = await active(activated("one", shop.appId), activated("two", null));
  assert.is(own.bundleId, "one");
  assert.match(await refusalOf(active()), /^No bundle is active for shop;/);
});

test("warns of tiers that are out of order", () => {
  const outcome = (happened: number | null): Outcome => ({
    installs: happened === null ? 0 : 10,
    predicted: 0.5,
    happened,
  });
  const quality = (low: number | null, medium: number | null, high: number | null): Quality => ({
    ...trained.report.models.d3_churn.whole,
    tiers: { low: outcome(low), medium: outcome(medium), high: outcome(high) },
  });
  const warnings = (...happened: readonly [number | null, number | null, number | null]) =>
    warningsOf({ models: { d3_purchase: quality(0.1, 0.2, 0.3), d3_churn: quality(...happened) }, drift: [] });
  assert.equal(warnings(0.1, 0.1, 0.1), []);
  assert.equal(warnings(0.2, 0.1, 0.3), [
    "The tiers of d3_churn are out of order: it came true for 10.0 % of medium, but for 20.0 % of low.",
  ]);
  assert.equal(warnings(0.1, 0.3, 0.2), [
    "The tiers of d3_churn are out of order: it came true for 20.0 % of high, but for 30.0 % of medium.",
  ]);
  assert.equal(warnings(0.2, null, 0.1), [
    "The tiers of d3_churn are out of order: it came true for 10.0 % of high, but for 20.0 % of low.",
  ]);
});

test("warns of a stability index above 0.25, not of 0.25", () => {
  const { d3_purchase, d3_churn } = trained.report.models;
  const models = { d3_purchase: d3_purchase.whole, d3_churn: d3_churn.whole };
  const warnings = (index: number | null) => warningsOf({ models, drift: [{ feature: "click_count", index }] }).length;
  assert.equal([null, 0.25, 0.2501].map(warnings), [0, 0, 1]);
});

test("needs a bundle whose files match its manifest", async () => {
  const damaged = join(directory, "damaged");
  await writeBundle(damaged, trained.files);
  await writeFile(join(damaged, "d3_churn.onnx"), "other");
  assert.match(await refusalOf(check(logOf(events), now, damaged)), /does not match the manifest/);
  await writeFile(join(damaged, "manifest.json"), "{}");
  assert.match(await refusalOf(check(logOf(events), now, damaged)), /is not the manifest of a bundle\.$/);
  assert.match(await refusalOf(check(logOf(events), now, join(directory, "nowhere"))), /cannot be read \(ENOENT\)\.$/);
});

test("needs models that take the features of the manifest", async () => {
  const narrow = join(directory, "narrow");
  const { features, ...manifest } = trained.manifest;
  const text = JSON.stringify({ ...manifest, features: features.slice(1) });
  await writeBundle(narrow, new Map([...trained.files, ["manifest.json", new TextEncoder().encode(text)]]));
  assert.match(await refusalOf(check(logOf(events), now, narrow)), /^Bundle \S+ cannot be run: /);
});

test("needs installs that are old enough", async () => {
  assert.is(await refusalOf(check(logOf([]))), "shop has no installs older than 10 days.");
});

test("bundles are written to a directory that is new or empty", async () => {
  await refuseUsedDirectory(join(directory, "new"));
  assert.match(await refusalOf(refuseUsedDirectory(join(directory, "bundle"))), /exists and is not empty\.$/);
  assert.match(await refusalOf(writeBundle(join(directory, "bundle"), trained.files)), /exists and is not empty\.$/);
  const unwritable = new Map([...trained.files, ["file", {} as Uint8Array]]);
  assert.match(await refusalOf(writeBundle(join(directory, "again"), unwritable)), /again cannot be written to/);
  await writeBundle(join(directory, "again"), trained.files);
  await writeFile(join(directory, "file"), "");
  assert.match(await refusalOf(refuseUsedDirectory(join(directory, "file"))), /cannot be written to \(ENOTDIR\)\.$/);
});

test.run();
