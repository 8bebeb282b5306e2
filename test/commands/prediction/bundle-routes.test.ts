import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createAppDirectory } from "../../../commands/apps/app-directory.ts";
import { readFile } from "../../../commands/file-chunks.ts";
import { type BundleDirectory, createBundleDirectory } from "../../../commands/prediction/bundle-directory.ts";
import { maxModelBytes } from "../../../commands/prediction/bundle-package.ts";
import { bundleRoutes } from "../../../commands/prediction/bundle-routes.ts";
import { modelBundlesStream, modelFileStream, type StreamName } from "../../../domain/streams.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { checkModels } from "../../../infra/scoring/check-models.ts";
import { bundleReadRoutes } from "../../../read-api/prediction/bundle-routes.ts";
import { manifest, modelFiles, sha256Of } from "../../examples/model-bundles.ts";
import { constantModel, logisticModel } from "../../examples/onnx-models.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import { type Form, filePart, form } from "../../support/multipart-form.ts";
import { type Answer, statusesOf } from "../../support/raw-client.ts";
import { outcomeOf } from "../../support/served-routes.ts";
import { errorsOf } from "../../support/short-faults.ts";

const path = "/admin/v1/model-bundles";

let application: Administration;
let bundles: BundleDirectory;
let checks: number;
let beforeChecked: () => Promise<void>;
let beforeActivated: () => Promise<void>;
/** Ids of the active bundles at each loading. */
let activations: string[];
let shopOwner: string;

const routes = ({ log }: { readonly log: EventLog }) => {
  const { findAppById } = createAppDirectory(log);
  bundles = createBundleDirectory(log);
  const writing = bundleRoutes({
    log,
    bundles,
    findAppById,
    checkModels: async (...check) => {
      checks += 1;
      await beforeChecked();
      return checkModels(...check);
    },
    activated: async () => {
      await beforeActivated();
      activations.push([...bundles.active().values()].map(({ bundleId }) => bundleId).join());
    },
  });
  const appName = async (appId: number) => (await findAppById(appId))?.name ?? null;
  return [...writing, ...bundleReadRoutes({ bundles: bundles.list, appName })];
};

const serving = suite("model bundles over HTTP");
serving.before(async () => {
  application = await startAdministration({ routes });
  shopOwner = (await application.registerApp("shop")).tokens.api ?? "";
  await application.registerApp("cafe");
});
serving.after(() => application.close());
serving.before.each(() => {
  checks = 0;
  activations = [];
  beforeChecked = async () => {};
  beforeActivated = async () => {};
});

/** A form of the first bundle under another id. */
function packageOf(
  bundleId: string,
  files: { readonly d3_purchase: Buffer; readonly d3_churn: Buffer } = modelFiles,
): Form {
  const { d3_purchase, d3_churn } = manifest.models;
  const models = {
    d3_purchase: { ...d3_purchase, sha256: sha256Of(files.d3_purchase) },
    d3_churn: { ...d3_churn, sha256: sha256Of(files.d3_churn) },
  };
  return form([
    filePart(files.d3_churn, "d3_churn.onnx", "any"),
    filePart(JSON.stringify({ ...manifest, bundleId, models }), "manifest.json", "any"),
    filePart(files.d3_purchase, "models/d3_purchase.onnx", "any"),
  ]);
}
const post = (sent: Form): Promise<Answer> => application.call("POST", path, { token: adminToken, ...sent });
const get = (at = ""): Promise<Answer> => application.call("GET", `${path}${at}`, { token: adminToken });
const put = (bundleId: unknown, app: string | null = null, token = adminToken): Promise<Answer> =>
  application.call("PUT", app === null ? "/admin/v1/model-bundle" : `/admin/v1/apps/${app}/model-bundle`, {
    token,
    body: { bundleId },
  });
const retire = (bundleId: string): Promise<Answer> =>
  application.call("DELETE", `${path}/${bundleId}`, { token: adminToken });
const activeOf = async (bundleId: string): Promise<unknown> =>
  ((await get(`/${bundleId}`)).json as { data: { bundle: { active: unknown } } }).data.bundle.active;
/** How many bundles there are, and those of a page: the id, and whether it is retired. */
const listed = async (query = ""): Promise<unknown> => {
  type Listed = { totalCount: number; bundles: { bundleId: string; retired: boolean }[] };
  const { totalCount, bundles: page } = ((await get(query)).json as { data: Listed }).data;
  return [totalCount, ...page.map(({ bundleId, retired }) => [bundleId, retired])];
};
const typesIn = async (stream: StreamName) => (await application.facts(stream)).map(({ type }) => type);

serving("are registered with their files in the log; the same bundle again has the same response", async () => {
  const answer = await post(packageOf("spring-1"));
  assert.is(answer.status, 201, answer.text);
  const { bundle } = (answer.json as { data: { bundle: { registeredAt: string } } }).data;
  assert.equal(bundle, {
    bundleId: "spring-1",
    trainedAt: manifest.trainedAt,
    registeredAt: bundle.registeredAt,
    features: manifest.features,
    models: manifest.models,
    active: { default: false, apps: [] },
    retired: false,
  });
  assert.ok(Math.abs(Date.parse(bundle.registeredAt) - Date.now()) < 60_000);
  for (const [name, bytes] of Object.entries(modelFiles)) {
    const hash = sha256Of(bytes);
    assert.ok((await readFile(application.log, modelFileStream(hash), hash)).equals(bytes), name);
  }
  const again = await post(packageOf("spring-1"));
  assert.equal([again.status, again.json], [201, answer.json]);
  assert.is(again.headers["x-log-position"], answer.headers["x-log-position"]);
  assert.equal([await typesIn(modelBundlesStream), checks], [["BundleRegistered"], 1]);
  assert.equal((await get("/spring-1")).json, answer.json);
});

serving("share equal files; an id belongs to one package", async () => {
  assert.is((await post(packageOf("summer-1"))).status, 201);
  assert.equal(await typesIn(modelFileStream(sha256Of(modelFiles.d3_churn))), ["FileChunk"]);
  const others = { ...modelFiles, d3_churn: logisticModel([0, 0, 1], 0) };
  assert.is(outcomeOf(await post(packageOf("summer-1", others))), "409 BUNDLE_ID_TAKEN");
  assert.equal(await typesIn(modelFileStream(sha256Of(others.d3_churn))), []);
});

serving("with faults are 400 with each file and fault, and append nothing", async () => {
  const before = await typesIn(modelBundlesStream);
  const models = { d3_purchase: constantModel(3, 2), d3_churn: logisticModel([1, 2], 3) };
  const unusable = await post(packageOf("faulty-1", models));
  assert.is(outcomeOf(unusable), "400 VALIDATION_FAILED");
  assert.equal(errorsOf(unusable), [
    ["body", "d3_purchase.onnx", "output_range"],
    ["body", "d3_churn.onnx", "input_shape"],
  ]);
  const incomplete = await post(form([filePart(JSON.stringify(manifest), "manifest.json")]));
  assert.equal(errorsOf(incomplete), [
    ["body", "d3_purchase.onnx", "missing"],
    ["body", "d3_churn.onnx", "missing"],
  ]);
  assert.equal(await typesIn(modelBundlesStream), before);
  assert.equal(await typesIn(modelFileStream(sha256Of(models.d3_purchase))), []);
});

serving("over 1 MiB are registered one at a time", async () => {
  const large = { ...modelFiles, d3_churn: Buffer.alloc(1024 * 1024) };
  const answers: Answer[] = [];
  beforeChecked = async () => {
    beforeChecked = async () => {};
    answers.push(await post(packageOf("large-2", large)));
  };
  answers.push(await post(packageOf("large-1", large)));
  assert.equal(answers.map(outcomeOf), ["503 OVERLOADED", "400 VALIDATION_FAILED"]);
});

serving("name the tensors that a model lacks", async () => {
  const { d3_purchase, d3_churn } = manifest.models;
  const models = { d3_purchase: { ...d3_purchase, input: "rows" }, d3_churn: { ...d3_churn, output: "score" } };
  const faulty = form([
    filePart(JSON.stringify({ ...manifest, bundleId: "faulty-2", models }), "manifest.json"),
    ...Object.entries(modelFiles).map(([name, bytes]) => filePart(bytes, `${name}.onnx`)),
  ]);
  const { errors } = (await post(faulty)).json as { errors: readonly { type: string; msg: string }[] };
  assert.equal(
    errors.map(({ type, msg }) => [type, msg.split(" ").at(-1)]),
    [
      ["input_unknown", "rows"],
      ["output_unknown", "score"],
    ],
  );
});

serving("are sent as at most 8 files", async () => {
  const others = (count: number) => Array.from({ length: count }, (_, index) => filePart("", `other-${index}`));
  const sent = (count: number) => form([filePart(JSON.stringify(manifest), "manifest.json"), ...others(count - 1)]);
  const unknown = Array.from({ length: 7 }, (_, index) => ["body", `other-${index}`, "unknown_file"]);
  assert.equal(errorsOf(await post(sent(8))).slice(0, 7), unknown);
  assert.equal(errorsOf(await post(sent(9))), [["body", "too_long"]]);
});

serving("of a model over 16 MiB are 400", async () => {
  const large = Buffer.alloc(maxModelBytes + 1);
  const answer = await post(packageOf("large-1", { ...modelFiles, d3_churn: large }));
  assert.equal(errorsOf(answer), [["body", "d3_churn.onnx", "too_long"]]);
});

serving("are activated by default and for an app, and retired while inactive", async () => {
  assert.equal((await put("spring-1")).json, { data: { bundleId: "spring-1", app: null } });
  assert.equal((await put("summer-1", "cafe")).json, { data: { bundleId: "summer-1", app: "cafe" } });
  assert.equal((await put("summer-1", "shop", shopOwner)).json, { data: { bundleId: "summer-1", app: "shop" } });
  assert.equal(activations, ["spring-1", "spring-1,summer-1", "spring-1,summer-1,summer-1"]);
  assert.equal(await activeOf("spring-1"), { default: true, apps: [] });
  assert.equal(await activeOf("summer-1"), { default: false, apps: ["cafe", "shop"] });
  assert.equal(
    [1, null].map((target) => bundles.active().get(target)?.bundleId),
    ["summer-1", "spring-1"],
  );

  assert.is(outcomeOf(await retire("summer-1")), "409 BUNDLE_ACTIVE");
  assert.is(outcomeOf(await retire("spring-1")), "409 BUNDLE_ACTIVE");
  for (const app of ["cafe", "shop"]) await put("spring-1", app);
  const retired = await retire("summer-1");
  assert.equal([retired.status, retired.text], [204, ""]);
  assert.is((await retire("summer-1")).status, 204);
  assert.is(outcomeOf(await put("summer-1")), "409 BUNDLE_RETIRED");
  assert.is(outcomeOf(await put("summer-1", "shop")), "409 BUNDLE_RETIRED");
  assert.is(outcomeOf(await retire("autumn-1")), "404 BUNDLE_NOT_FOUND");
  assert.is(outcomeOf(await put("autumn-1", "shop")), "404 BUNDLE_NOT_FOUND");
  assert.equal(await listed(), [2, ["summer-1", true], ["spring-1", false]]);
});

serving("are listed newest first, in pages", async () => {
  assert.equal(await listed("?size=1"), [2, ["summer-1", true]]);
  assert.equal(await listed("?skip=1&size=500"), [2, ["spring-1", false]]);
  assert.equal(statusesOf(await Promise.all([0, 501].map((size) => get(`?size=${size}`)))), [400, 400]);
});

serving("are active even if this process cannot load them, within 2 s", async () => {
  const before = (await typesIn(modelBundlesStream)).length;
  assert.is((await post(packageOf("autumn-1"))).status, 201);
  beforeActivated = async () => Promise.reject(new Error("no scorer"));
  assert.is((await put("autumn-1")).status, 200);
  beforeActivated = () => new Promise(() => {});
  const startedAt = performance.now();
  assert.is((await put("autumn-1", "shop")).status, 200);
  const took = performance.now() - startedAt;
  assert.ok(took >= 1_990 && took < 10_000, `${took} ms`);
  assert.equal((await typesIn(modelBundlesStream)).slice(before), [
    "BundleRegistered",
    "BundleActivated",
    "BundleActivated",
  ]);
});

serving("are unknown under other ids, which have 1 to 128 characters", async () => {
  for (const [answer, expected] of [
    [await get("/nothing"), "404 BUNDLE_NOT_FOUND"],
    [await put(7), "400 VALIDATION_FAILED"],
    [await put(""), "400 VALIDATION_FAILED"],
    [await put("b".repeat(128)), "404 BUNDLE_NOT_FOUND"],
    [await put("b".repeat(129)), "400 VALIDATION_FAILED"],
  ] as const) {
    assert.is(outcomeOf(answer), expected, answer.text);
  }
});

serving("are activated or retired, not both, by requests at the same time", async () => {
  assert.is((await post(packageOf("winter-1"))).status, 201);
  const outcomes = (await Promise.all([put("winter-1", "cafe"), retire("winter-1")])).map(({ status }) => status);
  assert.ok([[200, 409].join(), [409, 204].join()].includes(outcomes.join()), outcomes.join());
  assert.equal(application.failures, []);
});

serving.run();
