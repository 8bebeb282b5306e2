import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import { featureNames } from "../../../domain/prediction/features.ts";
import { manifestFaults } from "../../../domain/prediction/manifest.ts";
import { validCutPoints } from "../../../domain/prediction/probability.ts";
import { type TrainedBundle, trainBundle } from "../../../infra/training/train-bundle.ts";
import { anInstall, anOrder } from "../../examples/app-events.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { logOf, type ReadLog, refusalOf, simulatedEvents } from "./simulated-log.ts";

const test = suite("a trained bundle");
const now = Date.parse("2026-04-01T06:00:00.000Z");
const day = 86_400_000;
const log = logOf(simulatedEvents({ seed: 1, now, devices: 4_000 }));
const train = (seed = 1, of: ReadLog = log) => trainBundle({ log: of, app: "shop", seed, now });

let trained: TrainedBundle;
test.before(async () => {
  trained = await train();
});

const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

test("separates buyers and leavers of the demo's simulation on the held-out installs", async () => {
  const { report } = trained;
  for (const { heldOut } of Object.values(report.models)) {
    assert.ok((heldOut.auc ?? 0) >= 0.65, `AUC ${heldOut.auc}`);
    assert.ok((heldOut.lift ?? 0) >= 3, `lift ${heldOut.lift}`);
    assert.ok((heldOut.logLoss ?? 1) < (heldOut.logLossOfBaseRate ?? 0), `log loss ${heldOut.logLoss}`);
  }
});

test("is the same bytes for the same log and seed, and another for another seed", async () => {
  const [one, same, other] = [trained, await train(), await train(2)];
  assert.equal([...one.files], [...same.files]);
  assert.not.equal(text(one.files.get("manifest.json")), text(other.files.get("manifest.json")));
  assert.not.equal(one.manifest.bundleId, other.manifest.bundleId);
});

test("has a manifest that names its files, their hashes, every feature and valid cut points", async () => {
  const { manifest, files, report } = trained;
  assert.equal(JSON.parse(text(files.get("manifest.json"))), manifest);
  assert.match(manifest.bundleId, /^shop-2026-04-01-[0-9a-f]{12}$/);
  assert.is(manifest.trainedAt, new Date(now).toISOString());
  assert.equal(manifest.features, [...featureNames]);
  assert.equal(manifestFaults(manifest), []);
  for (const { file, sha256, cutPoints } of Object.values(manifest.models)) {
    assert.is(
      createHash("sha256")
        .update(files.get(file) ?? "")
        .digest("hex"),
      sha256,
    );
    assert.not.equal(validCutPoints(cutPoints), null);
  }
  for (const { edges, counts } of Object.values(manifest.training.features)) {
    assert.is(counts.length, edges.length + 1);
    assert.is(
      counts.reduce((sum, count) => sum + count, 0),
      report.installs.used,
    );
  }
  assert.equal([...files.keys()].sort(), [
    "d3_churn.onnx",
    "d3_purchase.onnx",
    "manifest.json",
    "report.html",
    "report.json",
    "report.txt",
  ]);
});

test("has a report as text, as JSON and as a page without external resources", async () => {
  const { files, report } = trained;
  assert.equal(JSON.parse(text(files.get("report.json"))), report);
  assert.match(text(files.get("report.txt")), /^ {2}held out +\d+ +[\d.]+ % +0\.\d{4}/m);
  const page = text(files.get("report.html"));
  assert.is(page.match(/<svg /g)?.length, 2);
  assert.not.match(page, /<script|<link|<img|src=|href=|url\(|http:|https:/);
  const { used, trained: fitted, heldOut, tooYoung, inLog } = report.installs;
  assert.equal([fitted + heldOut, used + tooYoung], [used, inLog]);
});

/** `installs` of which the first `buyers` bought on the next day and the last `stayers` came back on the fourth. */
function crowd(installs: number, buyers: number, stayers: number): ReadLog {
  const events = Array.from({ length: installs }, (_, number): readonly StoredEvent[] => {
    const deviceKey = exampleUuid("device", number);
    const at = now - 20 * day;
    const later = (days: number, category: string) => {
      const eventId = exampleUuid(category, number);
      return anOrder({ eventId, deviceKey, category, at: new Date(at + days * day).toISOString() });
    };
    return [
      anInstall({ eventId: exampleUuid("install", number), deviceKey, at: new Date(at).toISOString() }),
      ...(number < buyers ? [later(1, "app_order_complete")] : []),
      ...(number >= installs - stayers ? [later(4, "app_open")] : []),
    ];
  });
  return logOf(events.flat());
}

const refusal = (of: ReadLog, app = "shop") => refusalOf(trainBundle({ log: of, app, seed: 1, now }));

test("needs 200 installs", async () => {
  assert.is(await refusal(crowd(199, 20, 20)), "shop has 199 installs to train on; training needs at least 200.");
  assert.is(await refusal(crowd(200, 20, 20)), "");
  assert.is(await refusal(crowd(201, 20, 20)), "");
});

test("needs 20 installs of each label", async () => {
  const needs = "training needs at least 20.";
  assert.is(await refusal(crowd(200, 19, 20)), `Of the 200 installs of shop, 19 bought within 3 days; ${needs}`);
  assert.is(await refusal(crowd(200, 181, 20)), `Of the 200 installs of shop, 19 did not buy within 3 days; ${needs}`);
  assert.is(await refusal(crowd(200, 20, 19)), `Of the 200 installs of shop, 19 were used after 3 days; ${needs}`);
  assert.is(await refusal(crowd(200, 20, 181)), `Of the 200 installs of shop, 19 were not used after 3 days; ${needs}`);
  assert.is(await refusal(crowd(200, 180, 180)), "");
});

test("needs an app that the log knows", async () => {
  assert.is(await refusal(log, "elsewhere"), "There is no app elsewhere.");
});

test.run();
