import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type RunFile, readRunFile } from "../../infra/data-directory/run-file.ts";
import packageJson from "../../package.json" with { type: "json" };
import { streamsOf } from "./event-store.ts";
import { program } from "./paths.ts";
import { type TestClient, testClient } from "./typed-client.ts";

/** As `npm start` does. */
const startArguments = packageJson.scripts.start.replace("exec node ", "").split(" ").slice(0, -2);
const startTimeoutMs = 60_000;
const pollPause = 25;

/** The whole of Touchledger as an operator starts it: a process of its own on a data directory. */
export interface RunningApplication {
  readonly run: RunFile;
  readonly operator: TestClient;
  client(token: string, retryMs?: number): TestClient;
  /** What it has written to standard output and standard error. */
  output(): string;
  /** `SIGTERM`, and waits for the orderly end; answers the exit code. */
  stop(): Promise<number | null>;
  /** `SIGKILL`, and waits until the process is gone. What it has spawned lives on. */
  kill(): Promise<void>;
}

/** An app as most tests over a whole application have it. */
const shop = { name: "shop", timezone: "Asia/Seoul", currency: "USD", ownerEmail: "owner@shop.example" };

export interface AppTokens {
  readonly api: string;
  readonly link: string;
  readonly sdk: string;
  readonly web: string;
}

/** Registers an app, by default the shop; answers the texts of its tokens. */
export async function registerApp(operator: TestClient, app: object = shop): Promise<AppTokens> {
  const answer = await operator.send("POST", "/admin/v1/apps", app);
  return (answer as { data: { tokens: AppTokens } }).data.tokens;
}

/** A fresh data directory that `remove` deletes. */
export async function temporaryDirectory(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "touchledger-test-"));
  // Under root, Postgres runs as another user, and would keep its files elsewhere if it could not pass.
  await chmod(path, 0o711);
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Starts Touchledger on a data directory and waits until it is ready. `environment` adds to the defaults. */
export async function runApplication(
  dataDirectory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningApplication> {
  const output: string[] = [];
  const defaults = { PORT: "0", LOG_LEVEL: "warn", RATE_LIMITS: "off", DATA_DIR: dataDirectory };
  const child = spawn(process.execPath, [...startArguments, program, "start"], {
    env: { ...process.env, ...defaults, ...streamsOf({ DATA_DIR: dataDirectory, ...environment }), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  const run = await untilReady(child, dataDirectory, output);
  const client = (token: string, retryMs = 0): TestClient => testClient({ baseUrl: run.apiUrl, token, retryMs });
  return {
    run,
    operator: testClient({ baseUrl: run.operationsUrl, token: run.adminToken, retryMs: 0 }),
    client,
    output: () => output.join(""),
    stop: async () => {
      child.kill("SIGTERM");
      await ended(child);
      return child.exitCode;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended(child);
    },
  };
}

async function untilReady(child: ChildProcess, dataDirectory: string, output: readonly string[]): Promise<RunFile> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline && child.exitCode === null) {
    const run = await readRunFile(dataDirectory);
    if (run !== null && run.pid === child.pid && (await isReady(run.apiUrl))) return run;
    await pause(pollPause);
  }
  child.kill("SIGKILL");
  throw new Error(`Touchledger did not become ready:\n${output.join("")}`);
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
