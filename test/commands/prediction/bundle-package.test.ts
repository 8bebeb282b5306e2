import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sha256 } from "../../../commands/derived-ids.ts";
import { maxManifestBytes, maxModelBytes, readPackage } from "../../../commands/prediction/bundle-package.ts";
import type { FileBody } from "../../../infra/http/request/multipart-body.ts";
import { manifest, modelFiles, sha256Of, springBundle } from "../../examples/model-bundles.ts";
import { inShort } from "../../support/short-faults.ts";

const file = (fileName: string | null, content: string | Buffer): FileBody => ({
  fileName,
  bytes: Buffer.from(content),
});
const purchase = file("d3_purchase.onnx", modelFiles.d3_purchase);
const churn = file("d3_churn.onnx", modelFiles.d3_churn);
const manifestFile = (content: unknown): FileBody => file("manifest.json", JSON.stringify(content));
const { d3_purchase, d3_churn } = manifest.models;

/** The manifest with a changed second model. */
const withModel = (change: object): unknown => ({
  ...manifest,
  models: { d3_purchase, d3_churn: { ...d3_churn, ...change } },
});

/** Faults of a package, as `path type`. */
async function faultsOf(files: readonly FileBody[]): Promise<readonly string[]> {
  const read = await readPackage(files);
  if (read.outcome === "read") return [];
  return inShort(read.errors).map((parts) => parts.join(" "));
}
const faultsOfManifest = (content: unknown): Promise<readonly string[]> =>
  faultsOf([manifestFile(content), purchase, churn]);

const reading = suite("the files of a model bundle");

reading("are found by their names, in any order", async () => {
  const text = JSON.stringify(manifest);
  const read = await readPackage([churn, file("manifest.json", text), purchase]);
  if (read.outcome === "faulty") throw new Error(JSON.stringify(read.errors));
  assert.equal(read.package.bundle, springBundle);
  assert.equal(read.package.models, modelFiles);
  const content = [sha256Of(text), d3_purchase.sha256, d3_churn.sha256].join("\n");
  assert.is(read.package.contentHash, sha256(content).toString("hex"));
  const other = await readPackage([churn, file("manifest.json", `${text}\n`), purchase]);
  if (other.outcome === "faulty") throw new Error(JSON.stringify(other.errors));
  assert.is.not(other.package.contentHash, read.package.contentHash);
});

reading("are exactly the manifest and the two that it names, each once", async () => {
  const sent = manifestFile(manifest);
  assert.equal(await faultsOf([]), ["body manifest.json missing"]);
  assert.equal(await faultsOf([purchase, churn, file("Manifest.json", "{}")]), ["body manifest.json missing"]);
  assert.equal(await faultsOf([sent, sent, purchase, churn]), ["body manifest.json double_file"]);
  assert.equal(await faultsOf([sent]), ["body d3_purchase.onnx missing", "body d3_churn.onnx missing"]);
  assert.equal(await faultsOf([sent, purchase, churn, churn]), ["body d3_churn.onnx double_file"]);
  assert.equal(await faultsOf([sent, purchase, churn, file("other.onnx", ""), file(null, "")]), [
    "body other.onnx unknown_file",
    "body unknown_file",
  ]);
});

reading("have the hashes of the manifest", async () => {
  const changed = file("d3_churn.onnx", Buffer.concat([modelFiles.d3_churn, Buffer.of(0)]));
  assert.equal(await faultsOf([manifestFile(manifest), purchase, changed]), ["body d3_churn.onnx hash_mismatch"]);
  const swapped = [file("d3_purchase.onnx", churn.bytes), file("d3_churn.onnx", purchase.bytes)];
  const mismatches = ["body d3_purchase.onnx hash_mismatch", "body d3_churn.onnx hash_mismatch"];
  assert.equal(await faultsOf([manifestFile(manifest), ...swapped]), mismatches);
});

for (const [size, faults] of [
  [maxModelBytes - 1, []],
  [maxModelBytes, []],
  [maxModelBytes + 1, ["body d3_churn.onnx too_long"]],
] as const) {
  reading(`have at most 16 MiB each: ${size - maxModelBytes} bytes beyond`, async () => {
    const bytes = Buffer.alloc(size);
    const sent = manifestFile(withModel({ sha256: sha256Of(bytes) }));
    assert.equal(await faultsOf([sent, purchase, { fileName: "d3_churn.onnx", bytes }]), faults);
  });
}

for (const [size, faults] of [
  [maxManifestBytes - 1, []],
  [maxManifestBytes, []],
  [maxManifestBytes + 1, ["body manifest.json too_long"]],
] as const) {
  reading(`have a manifest of at most 1 MiB: ${size - maxManifestBytes} bytes beyond`, async () => {
    const text = JSON.stringify(manifest).padEnd(size, " ");
    assert.equal(await faultsOf([file("manifest.json", text), purchase, churn]), faults);
  });
}

reading("have a manifest that fits into an event, and is read in no time", async () => {
  const tooLong = ["body manifest.json too_long"];
  for (const [cutPoints, faults] of [
    ["x".repeat(900_000), []],
    ["x".repeat(950_000), tooLong],
    [Array(60_000).fill(0), tooLong],
  ]) {
    assert.equal(await faultsOfManifest(withModel({ cutPoints })), faults);
  }
});

reading("have a manifest of JSON in UTF-8, with legal text", async () => {
  for (const content of ["", "{", "null,", Buffer.from([0x22, 0xff, 0x22])]) {
    assert.equal(await faultsOf([file("manifest.json", content)]), ["body manifest.json invalid_json"]);
  }
  const twice = file("manifest.json", '{"bundleId":"a","bundleId":"b"}');
  assert.equal(await faultsOf([twice]), ["body manifest.json repeated_field"]);
  assert.equal(await faultsOfManifest({ ...manifest, bundleId: "a\u0000" }), [
    "body manifest.json bundleId illegal_text",
  ]);
});

const wrong: readonly (readonly [string, unknown, string])[] = [
  ["no object", [], " wrong_type"],
  ["no id", { ...manifest, bundleId: undefined }, " bundleId missing"],
  ["an id with a slash", { ...manifest, bundleId: "a/b" }, " bundleId wrong_format"],
  ["an id of 129 characters", { ...manifest, bundleId: "a".repeat(129) }, " bundleId wrong_format"],
  ["a date that is no instant", { ...manifest, trainedAt: "2026-03-01" }, " trainedAt wrong_format"],
  ["an instant that does not exist", { ...manifest, trainedAt: "2026-02-30T00:00:00Z" }, " trainedAt wrong_format"],
  ["no features", { ...manifest, features: [] }, " features too_short"],
  ["an unknown feature", { ...manifest, features: ["click_count", "clicks"] }, " features 1 not_allowed"],
  ["a feature twice", { ...manifest, features: ["click_count", "click_count"] }, " features 1 duplicate"],
  ["one model", { ...manifest, models: { d3_purchase } }, " models d3_churn missing"],
  ["a third model", { ...manifest, models: { d3_purchase, d3_churn, d7: d3_churn } }, " models d7 unknown_field"],
  ["an unknown field", { ...manifest, comment: "" }, " comment unknown_field"],
  ["a file in a directory", withModel({ file: "models/a.onnx" }), " models d3_churn file wrong_format"],
  ["a hidden file", withModel({ file: ".onnx" }), " models d3_churn file wrong_format"],
  ["itself as a file", withModel({ file: "manifest.json" }), " models d3_churn file invalid"],
  ["the other model's file", withModel({ file: "d3_purchase.onnx" }), " models d3_churn file same_file"],
  ["a hash in upper case", withModel({ sha256: "A".repeat(64) }), " models d3_churn sha256 wrong_format"],
  ["a tensor without a name", withModel({ input: "" }), " models d3_churn input too_short"],
  ["an unknown field of a model", withModel({ weights: [] }), " models d3_churn weights unknown_field"],
  ["training of a text", { ...manifest, training: "" }, " training wrong_type"],
  [
    "a distribution of an unknown feature",
    { ...manifest, training: { installs: 1, features: { clicks: { edges: [], counts: [1] } } } },
    " training features clicks unknown_field",
  ],
  [
    "a distribution without counts",
    { ...manifest, training: { installs: 1, features: { click_count: { edges: [], counts: [] } } } },
    " training features click_count counts counts_not_one_more",
  ],
];
for (const [what, content, fault] of wrong) {
  reading(`have a manifest without faults: ${what}`, async () => {
    const faults = await faultsOfManifest(content);
    assert.ok(faults.includes(`body manifest.json${fault}`), faults.join("; "));
  });
}

reading("have any cut points: whether they are valid is no part of it", async () => {
  for (const cutPoints of [null, [], ["x"], {}, 7]) assert.equal(await faultsOfManifest(withModel({ cutPoints })), []);
});

reading("may lack cut points", async () => {
  const read = await readPackage([manifestFile(withModel({ cutPoints: undefined })), purchase, churn]);
  const { models } = springBundle;
  const lacking = { ...springBundle, models: { ...models, d3_churn: { ...models.d3_churn, cutPoints: null } } };
  assert.equal(read.outcome === "read" && read.package.bundle, lacking);
});

reading("have distributions of up to 1,000 edges", async () => {
  const withEdges = (count: number): unknown => {
    const edges = Array.from({ length: count }, (_, index) => index);
    const features = { click_count: { edges, counts: [...edges, 0] } };
    return { ...manifest, training: { installs: 3, features } };
  };
  const distribution = "body manifest.json training features click_count";
  assert.equal(await faultsOfManifest(withEdges(1_000)), []);
  const faults = [`${distribution} edges too_long`, `${distribution} counts too_long`];
  assert.equal(await faultsOfManifest(withEdges(1_001)), faults);
});

reading("may have a summary of their training", async () => {
  const training = { installs: 3, features: { click_count: { edges: [0, 1], counts: [1, 1, 1] } } };
  const read = await readPackage([manifestFile({ ...manifest, training }), purchase, churn]);
  assert.equal(read.outcome === "read" && read.package.bundle, { ...springBundle, training });
});

reading.run();
