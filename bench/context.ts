import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { featureNames } from "../domain/prediction/features.ts";
import { openDatabase } from "../infra/postgres/database.ts";
import type { ReadModelFile } from "../infra/scoring/loaded-bundles.ts";
import { createScorer } from "../infra/scoring/scorer.ts";
import { type ContextQuery, lookUpContexts } from "../projections/facts/app-events/context-lookup.ts";
import { facts } from "../projections/facts/projection.ts";
import type { ReadModel } from "../projections/projection.ts";
import { createReadModels } from "../projections/read-models.ts";
import { sha256Of } from "../test/examples/model-bundles.ts";
import { logisticModel } from "../test/examples/onnx-models.ts";
import {
  type AppTokens,
  type RunningApplication,
  registerApp,
  runApplication,
  temporaryDirectory,
} from "../test/support/application-process.ts";
import { type BenchLine, below, memoryBelow, shareOf } from "./support/bench-line.ts";
import {
  compareWithBare,
  connections,
  type LoadRequest,
  loadOf,
  p99At,
  untilProjected,
  warmUp,
} from "./support/http-load.ts";
import { watchMemory } from "./support/memory.ts";

const devices = 100_000;
const batch = 500;
const pushers = 4;
const day = 86_400_000;
const minRatio = 0.35;
const steady = { perSecond: 500, maxP99: 30 };
const maxMemory = 400;
const okStatus = 200;
const installsTimeoutMs = 300_000;
const contextPath = "/entry/inference/v1/context";
/** Rows and queries of the steps that are measured alone; a statement has about as many queries as under load. */
const alone = { rows: 20_000, queries: 30_000, queriesInStatement: 30 };

const weights = featureNames.map((_, index) => (index % 2 === 0 ? 0.01 : -0.01));
const files = { d3_purchase: logisticModel(weights, -1), d3_churn: logisticModel(weights, 1) };
const modelOf = (name: keyof typeof files) => ({
  file: `${name}.onnx`,
  sha256: sha256Of(files[name]),
  input: "features",
  output: "probability",
  cutPoints: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
});
const bundle = {
  bundleId: "bench",
  trainedAt: "2026-03-01T00:00:00.000Z",
  features: featureNames,
  models: { d3_purchase: modelOf("d3_purchase"), d3_churn: modelOf("d3_churn") },
};

/**
 * Context calls over 100,000 devices. Each call checks its token, looks up the device, scores it by two models and is
 * recorded durably. Next to them a bare Express POST that parses the same body and returns as many bytes; then single
 * steps alone.
 */
export async function benchContext(): Promise<readonly BenchLine[]> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  try {
    const tokens = await registerApp(application.operator);
    const userIds = await pushDevices(application, tokens);
    const { data } = (await application.operator.send("GET", "/admin/v1/apps/shop")) as {
      data: { app: { id: number } };
    };
    await untilFilled(application, data.app.id);
    await activateBundle(application);

    const headers = { authorization: `Bearer ${tokens.sdk}`, "content-type": "application/json" };
    const requestFor = (path: string, userId: string): LoadRequest => {
      const body = JSON.stringify({ userId });
      return { method: "POST", path, headers, body };
    };
    const requests = userIds.map((userId) => requestFor(contextPath, userId));
    const target = loadOf(application.run.baseUrl, okStatus, requests);
    await warmUp(target, 10_000);
    const memory = watchMemory(application.run.pid);
    const bareRequest = requestFor("/context", userIds[0] ?? "");
    const { measured, bare } = await compareWithBare((origin) => loadOf(origin, okStatus, [bareRequest]), target);
    await untilProjected(application.run.baseUrl);
    const p99 = await p99At(target, steady.perSecond);
    const held = memory.stop();
    await untilProjected(application.run.baseUrl);
    return [
      shareOf(bare, "a bare Express POST of the same bytes", minRatio, {
        path: `context calls, recorded, ${connections} connections, ${devices.toLocaleString("en")} devices`,
        measured,
        unit: "calls/s",
      }),
      below(steady.maxP99, { path: `context calls, p99 at ${steady.perSecond}/s`, measured: p99, unit: "ms" }),
      memoryBelow(maxMemory, "context calls, memory of Node", held, "without the process of the scorer"),
      ...(await stepsAlone(application, data.app.id, userIds)),
    ];
  } finally {
    await application.stop();
    await directory.remove();
  }
}

/** Sends an install of each device, and a click before it; returns the devices' UUIDs. */
async function pushDevices({ run }: RunningApplication, { api }: AppTokens): Promise<readonly string[]> {
  const userIds: string[] = [];
  const post = async (kind: string, body: object): Promise<{ readonly [device: string]: string }> => {
    const response = await fetch(`${run.baseUrl}/events/v1/apps/shop/${kind}`, {
      method: "POST",
      headers: { authorization: `Bearer ${api}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.status === 503) {
      await pause(200);
      return post(kind, body);
    }
    if (!response.ok) throw new Error(`${kind}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: { devices: { [device: string]: string } } }).data.devices;
  };
  let next = 0;
  const push = async (): Promise<void> => {
    for (let first = next; first < devices; first = next) {
      next += batch;
      const numbers = Array.from({ length: batch }, (_, index) => first + index);
      const installedAt = (number: number): number => Date.now() - 20 * day + (number % 1_000) * 60_000;
      await post("touchpoints", {
        touchpoints: numbers.map((number) => ({
          touchpointId: randomUUID(),
          kind: number % 3 === 0 ? "impression" : "click",
          timestamp: new Date(installedAt(number) - (1 + (number % 20)) * 600_000).toISOString(),
          channel: ["newsletter", "partner", "kakao"][number % 3],
          campaignParams: { campaign: `campaign-${number % 10}` },
          deviceId: `device-${number}`,
        })),
      });
      const keys = await post("app-events", {
        events: numbers.map((number) => ({
          eventId: randomUUID(),
          eventTimestamp: installedAt(number),
          category: "app_install",
          device: { id: `device-${number}`, os: "Android" },
        })),
      });
      userIds.push(...Object.values(keys));
    }
  };
  await Promise.all(Array.from({ length: pushers }, push));
  return userIds;
}

async function withFacts<Result>(
  { run }: RunningApplication,
  work: (live: ReadModel) => Promise<Result>,
): Promise<Result> {
  const db = openDatabase(run.databaseUrl, { max: 2, applicationName: "bench" });
  try {
    return await work(await createReadModels(db, [facts]).live("facts"));
  } finally {
    await db.destroy();
  }
}

/**
 * Waits until every install is decided and its features are stored, then runs `vacuum analyze`, which autovacuum would
 * otherwise do during the measurement.
 */
function untilFilled(application: RunningApplication, appId: number): Promise<void> {
  return withFacts(application, async ({ db, schema }) => {
    for (const deadline = Date.now() + installsTimeoutMs; Date.now() < deadline; await pause(500)) {
      const { rows } = await db.raw<{ rows: { ready: boolean }[] }>(
        `select (select count(*) from ${schema}.install_vectors where app_id = :appId) = :devices
           and (select count(*) from ${schema}.decisions where app_id = :appId) = :devices as ready`,
        { appId, devices },
      );
      if (rows[0]?.ready) {
        await db.raw("vacuum analyze");
        return;
      }
    }
    throw new Error(`The installs were not ready in ${installsTimeoutMs} ms`);
  });
}

async function activateBundle({ run, operator }: RunningApplication): Promise<void> {
  const form = new FormData();
  form.append("manifest", new Blob([JSON.stringify(bundle)]), "manifest.json");
  for (const [name, bytes] of Object.entries(files)) form.append("model", new Blob([bytes]), `${name}.onnx`);
  const headers = { authorization: `Bearer ${run.adminToken}` };
  const response = await fetch(`${run.baseUrl}/admin/v1/model-bundles`, { method: "POST", headers, body: form });
  if (response.status !== 201) throw new Error(`The bundle was refused: ${await response.text()}`);
  await operator.send("PUT", "/admin/v1/model-bundle", { bundleId: bundle.bundleId });
}

/** Measures single steps of a call: how many calls per second each could serve on its own. */
async function stepsAlone(
  application: RunningApplication,
  appId: number,
  userIds: readonly string[],
): Promise<readonly BenchLine[]> {
  const readModelFile: ReadModelFile = async (sha256) =>
    sha256 === bundle.models.d3_purchase.sha256 ? files.d3_purchase : files.d3_churn;
  const scorer = createScorer({
    onTrouble: (failure) => {
      throw failure;
    },
  });
  const vector = Float32Array.from(featureNames, (_, index) => index);
  await scorer.load(bundle, readModelFile);
  const scored = await perSecond(alone.rows, connections, () => scorer.score(bundle.bundleId, [vector], 10_000));
  await scorer.close();
  const inProcess = await onnxruntimeAlone(vector);
  const lookedUp = await withFacts(application, (live) =>
    perSecond(alone.queries / alone.queriesInStatement, 2, (round) => {
      const queries = Array.from({ length: alone.queriesInStatement }, (_, index): ContextQuery => {
        const identifier = userIds[(round * 7_919 + index * 104_729) % userIds.length] ?? "";
        return { appId, salt: "", kind: "service_generated_uuid", identifier };
      });
      return lookUpContexts(live, queries);
    }),
  );
  const share = (path: string, calls: number): BenchLine => ({
    path,
    measured: Math.round(calls),
    unit: "calls/s",
    limit: null,
    ratio: null,
    target: "none",
    met: true,
    note: `${(1e6 / calls).toFixed(0)} microseconds a call`,
  });
  return [
    share("onnxruntime alone, two models, in this process", inProcess),
    share("the scorer alone, two models, its process and the messages to it", scored),
    share(
      `the look-up alone, ${alone.queriesInStatement} a statement, two statements at a time`,
      lookedUp * alone.queriesInStatement,
    ),
  ];
}

async function onnxruntimeAlone(vector: Float32Array): Promise<number> {
  const { InferenceSession, Tensor } = await import("onnxruntime-node");
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential" } as const;
  const sessions = await Promise.all(Object.values(files).map((file) => InferenceSession.create(file, options)));
  return perSecond(alone.rows, 1, async () => {
    for (const session of sessions) await session.run({ features: new Tensor("float32", vector, [1, vector.length]) });
  });
}

/** How many times per second `work` completes, with `workers` at a time. */
async function perSecond(times: number, workers: number, work: (round: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const since = performance.now();
  const worker = async (): Promise<void> => {
    for (let round = next++; round < times; round = next++) await work(round);
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return (times * 1_000) / (performance.now() - since);
}
