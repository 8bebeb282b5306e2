// time limit: 120 s
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readRunFile } from "../../infra/data-directory/run-file.ts";
import { temporaryDirectory } from "../support/application-process.ts";
import { program, root } from "../support/paths.ts";

const timeoutMs = 60_000;

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

const test = suite("Starting and ending");

test("a taken port is told before anything is started, and what to do", async () => {
  const taken = createServer().listen(0);
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const ended = await startIn(async (start) => start({ PORT: String(port) }));
  taken.close();
  assert.equal(ended, { code: 1, said: `Port ${port} is taken. Set PORT to another one, or to 0 for any.\n` });
});

test("stores that cannot be reached are named by their variables", async () => {
  const database = await startIn((start) => start({ DATABASE_URL: "postgres://nobody:nothing@127.0.0.1:1/none" }));
  assert.is(database.code, 1);
  assert.match(database.said, /^Postgres cannot be used\. Is DATABASE_URL right, and does it run\? \(.*\)\n$/);

  const log = await startIn((start) => start({ EVENTSTORE_URL: "esdb://127.0.0.1:1?tls=false" }));
  assert.is(log.code, 1);
  assert.match(log.said, /^The event store cannot be used\. Is EVENTSTORE_URL right, and does it run\? \(.*\)\n$/);
});

/** What a terminal, a supervisor and a container send, and to whom: npm passes a hang-up on to nobody. */
const endings = [
  ["SIGTERM", "npm", ["start"]],
  ["SIGINT", "npm", ["start"]],
  ["SIGTERM", process.execPath, [program, "start"]],
  ["SIGHUP", process.execPath, [program, "start"]],
] as const;

const ending = suite<{ directory: Awaited<ReturnType<typeof temporaryDirectory>> }>("A signal");
ending.before(async (given) => {
  given.directory = await temporaryDirectory();
});
ending.after(({ directory }) => directory.remove());

for (const [signal, command, parameters] of endings) {
  ending(
    `${signal} to ${basename(command)} ends it in order, with exit 0 and no Postgres left`,
    async ({ directory }) => {
      const child = spawn(command, parameters, { cwd: root, env: environmentOn(directory.path), stdio: "ignore" });
      const run = await untilRunning(child, directory.path);
      const postgresPort = Number(new URL(run.databaseUrl).port);
      child.kill(signal);
      await once(child, "exit");
      assert.is(child.exitCode, 0);
      assert.is(await readRunFile(directory.path), null);
      assert.is(await isListening(postgresPort), false);
    },
  );
}

/** Runs `touchledger start` on a fresh directory until it ends by itself; answers its exit code and what it said. */
async function startIn(
  run: (start: (environment: Readonly<Record<string, string>>) => Promise<Ended>) => Promise<Ended>,
): Promise<Ended> {
  const directory = await temporaryDirectory();
  try {
    return await run(async (environment) => {
      const child = spawn(process.execPath, [program, "start"], {
        env: { ...environmentOn(directory.path), ...environment },
      });
      let said = "";
      child.stdout.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
      child.stderr.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
      await once(child, "close");
      return { code: child.exitCode, said };
    });
  } finally {
    await directory.remove();
  }
}

function environmentOn(dataDirectory: string): NodeJS.ProcessEnv {
  return { ...process.env, PORT: "0", LOG_LEVEL: "silent", DATA_DIR: dataDirectory };
}

async function untilRunning(child: ChildProcess, dataDirectory: string) {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline && child.exitCode === null; await pause(50)) {
    const run = await readRunFile(dataDirectory);
    if (run !== null) return run;
  }
  child.kill("SIGKILL");
  throw new Error("Touchledger did not start");
}

async function isListening(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, "127.0.0.1");
    await once(probe, "listening");
    return false;
  } catch {
    return true;
  } finally {
    probe.close();
  }
}

test.run();
ending.run();
