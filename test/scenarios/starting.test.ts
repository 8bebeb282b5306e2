// time limit: 120 s
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readRunFile } from "../../infra/data-directory/run-file.ts";
import { temporaryDirectory } from "../support/application-process.ts";
import { startEmbeddedLog } from "../support/event-store.ts";
import { program, root } from "../support/paths.ts";

const timeoutMs = 60_000;

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

const test = suite("Starting and stopping");

test("a taken port is reported before anything is started", async () => {
  const taken = createServer().listen(0);
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const ended = await startIn({ PORT: String(port) });
  const operations = await startIn({ OPERATIONS_PORT: String(port) });
  const store = await startIn({}, ["event-store", "--port", String(port)]);
  taken.close();
  assert.equal(store, { code: 1, output: `Port ${port} is taken. Set --port to another one, or to 0 for any.\n` });
  assert.equal(operations, {
    code: 1,
    output: `Port ${port} is taken. Set OPERATIONS_PORT to another one, or to 0 for any.\n`,
  });
  assert.equal(ended, { code: 1, output: `Port ${port} is taken. Set PORT to another one, or to 0 for any.\n` });
});

test("stores that cannot be reached are named by their variables", async () => {
  const [database, log] = await Promise.all([
    startIn({ DATABASE_URL: "postgres://unknown:unknown@127.0.0.1:1/none" }),
    startIn({ EVENTSTORE_URL: "esdb://127.0.0.1:1?tls=false" }),
  ]);
  assert.is(database.code, 1);
  assert.match(database.output, /^Postgres cannot be used\. Is DATABASE_URL right, and does it run\? \(.*\)\n$/);
  assert.is(log.code, 1);
  assert.match(log.output, /^The event store cannot be used\. Is EVENTSTORE_URL right, and does it run\? \(.*\)\n$/);
});

test("an event store behind TLS at an IP address that refuses the user is one line, without Node's warnings", async () => {
  const store = await startEmbeddedLog();
  try {
    const address = new URL(store.connectionString.replace("localhost", "127.0.0.1"));
    const url = address.href.replace("://", "://admin:guessed@");
    const { code, output } = await startIn({ EVENTSTORE_URL: url, LOG_LEVEL: "warn" });
    assert.is(code, 1);
    assert.match(output, /^The event store cannot be used\. It needs a user, or refuses the password: [^\n]*\n$/);
  } finally {
    await store.close();
  }
});

/** Signals of a container, a terminal and a closed session. npm does not pass SIGHUP on. */
const signals = [
  ["SIGTERM", "npm", ["start"]],
  ["SIGINT", process.execPath, [program, "start"]],
  ["SIGHUP", process.execPath, [program, "start"]],
] as const;

const stopping = suite<{ directory: Awaited<ReturnType<typeof temporaryDirectory>> }>("A signal");
stopping.before(async (context) => {
  context.directory = await temporaryDirectory();
});
stopping.after(({ directory }) => directory.remove());

for (const [signal, command, parameters] of signals) {
  stopping(
    `${signal} to ${basename(command)} stops it with exit code 0 and no Postgres left`,
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

stopping("is not followed by a start with damaged files of its secrets or of its log's id", async ({ directory }) => {
  const damaged = async (name: string, text: string): Promise<string> => {
    const file = join(directory.path, name);
    const before = await readFile(file, "utf8");
    await writeFile(file, text);
    const { code, output } = await startOn(directory.path);
    await writeFile(file, before);
    assert.is(code, 1);
    return output.replace(directory.path, "");
  };
  assert.is(
    await damaged("log-id", "2e2e7839"),
    "/log-id is damaged. If EVENTSTORE_URL and EVENT_STREAM_PREFIX are as they were, remove it: the log itself is kept.\n",
  );
  const rest = "characters, and at most 1000; it has";
  const advice = "Restore the file; or remove it for a new secret.\n";
  for (const [name, text] of [
    ["url-signing-key", "y"],
    ["admin-token", "x".repeat(31)],
  ] as const) {
    const expected = `The secret in /${name} must have at least 32 ${rest} ${text.length}. ${advice}`;
    assert.is(await damaged(name, text), expected);
  }
});

stopping("is not followed by a start with a new log where the log of the directory was lost", async ({ directory }) => {
  await rm(join(directory.path, "event-store"), { recursive: true });
  const { code, output } = await startOn(directory.path);
  assert.is(code, 1);
  assert.match(
    output,
    /^The event store of \S+ no longer holds log \S+\. If EVENTSTORE_URL or .*Else restore a backup/,
  );
  assert.is(existsSync(join(directory.path, "event-store")), false);
});

/** Runs `touchledger start` on a fresh directory until it exits. */
async function startIn(environment: Readonly<Record<string, string>>, command = ["start"]): Promise<Ended> {
  const directory = await temporaryDirectory();
  try {
    return await startOn(directory.path, environment, command);
  } finally {
    await directory.remove();
  }
}

async function startOn(
  path: string,
  environment: Readonly<Record<string, string>> = {},
  command = ["start"],
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...command], { env: { ...environmentOn(path), ...environment } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  await once(child, "close");
  return { code: child.exitCode, output };
}

/** On the embedded event store. */
function environmentOn(dataDirectory: string): NodeJS.ProcessEnv {
  return { ...process.env, PORT: "0", LOG_LEVEL: "silent", DATA_DIR: dataDirectory, EVENTSTORE_URL: "" };
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
stopping.run();
