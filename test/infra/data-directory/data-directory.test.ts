import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rmSync, utimesSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DataDirectoryUnusable, openDataDirectory } from "../../../infra/data-directory/data-directory.ts";
import { processIdentity } from "../../../infra/data-directory/processes.ts";
import { type RunFile, readRunFile, removeRunFile, writeRunFile } from "../../../infra/data-directory/run-file.ts";
import { openSecrets } from "../../../infra/data-directory/secrets.ts";

interface Given {
  path: string;
}

async function makePath(given: Given): Promise<void> {
  given.path = await mkdtemp(join(tmpdir(), "touchledger-data-"));
}
async function removePath({ path }: Given): Promise<void> {
  await rm(path, { recursive: true });
}

/** A process that does nothing until it is killed, by default of the program that runs Touchledger. */
async function idleProcess(
  command = [process.execPath, "-e", "setInterval(() => {}, 1000)"],
): Promise<{ readonly pid: number; readonly end: () => Promise<void> }> {
  const [program = "", ...parameters] = command;
  const child: ChildProcess = spawn(program, parameters, { stdio: "ignore" });
  await once(child, "spawn");
  return {
    pid: child.pid ?? 0,
    end: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** The lock file as the process `pid` of this `identity` would have left it. */
async function lockOf(path: string, pid: number, identity: string | null, more = {}): Promise<void> {
  const { dev, ino } = await stat(path);
  const holder = { pid, identity, place: `${dev}:${ino}`, nonce: "0b0e", ...more };
  return writeFile(join(path, "lock"), JSON.stringify(holder));
}

async function messageOfOpening(path: string): Promise<string> {
  try {
    await (await openDataDirectory(path)).close();
    return "opened";
  } catch (failure) {
    if (failure instanceof DataDirectoryUnusable) return failure.message;
    throw failure;
  }
}

const directory = suite<Given>("a data directory");
directory.before.each(makePath);
directory.after.each(removePath);

directory("is made, with those above it, and keeps nothing when closed", async ({ path }) => {
  const opened = await openDataDirectory(join(path, "a", "b"));
  assert.equal(await readdir(opened.path), ["lock"]);
  await opened.close();
  assert.equal(await readdir(opened.path), []);
});

directory("can be passed through by Postgres under root, and is private otherwise", async ({ path }) => {
  await (await openDataDirectory(path)).close();
  assert.is((await stat(path)).mode & 0o777, process.getuid?.() === 0 ? 0o711 : 0o700);
});

directory("that others could read is closed to them, with what an instance keeps in it", async ({ path }) => {
  await mkdir(join(path, "lost+found"));
  await mkdir(join(path, "spool"), { mode: 0o755 });
  await writeFile(join(path, "admin-token"), "", { mode: 0o644 });
  await writeFile(join(path, `run.json.${randomUUID()}`), "");
  await chmod(path, 0o755);
  await (await openDataDirectory(path)).close();
  const modes = [path, join(path, "spool"), join(path, "admin-token")].map(async (name) => (await stat(name)).mode);
  const own = process.getuid?.() === 0 ? 0o711 : 0o700;
  assert.equal(
    (await Promise.all(modes)).map((mode) => mode & 0o777),
    [own, 0o700, 0o600],
  );
});

directory("with files of others keeps its mode", async ({ path }) => {
  await writeFile(join(path, "of-others"), "");
  await chmod(path, 0o755);
  await (await openDataDirectory(path)).close();
  assert.is((await stat(path)).mode & 0o777, 0o755);
});

directory("is refused while another process holds it, and taken over when that was killed", async ({ path }) => {
  const other = await idleProcess();
  await lockOf(path, other.pid, processIdentity(other.pid));
  assert.match(await messageOfOpening(path), `is in use by process ${other.pid}`);
  await other.end();
  assert.is(await messageOfOpening(path), "opened");
});

directory("is taken over when the number of a killed process belongs to another one by now", async ({ path }) => {
  await lockOf(path, process.pid, "another-boot 1");
  assert.is(await messageOfOpening(path), "opened");
});

const otherBoot = (pid: number): string => (processIdentity(pid) ?? "").replace(/^\S+/, "another-boot");

directory("is refused though its holder sees another boot id, as in some containers", async ({ path }) => {
  if (process.platform !== "linux") return;
  const other = await idleProcess();
  await lockOf(path, other.pid, otherBoot(other.pid));
  await writeRunFile(path, { ...run, pid: other.pid });
  const written = await readFile(join(path, "run.json"), "utf8");
  await writeFile(join(path, "run.json"), written.replace(/"identity": "\S+/, '"identity": "another-boot'));
  assert.match(await messageOfOpening(path), `is in use by process ${other.pid}`);
  assert.is((await readRunFile(path))?.pid, other.pid);
  await other.end();
  assert.is(await messageOfOpening(path), "opened");
  assert.is(await readRunFile(path), null);
});

directory("with a damaged file of its running instance is refused to commands, in one line", async ({ path }) => {
  const file = join(path, "run.json");
  await writeFile(file, '{"pid": 1');
  assert.is(
    await readRunFile(path).catch(String),
    `DataDirectoryUnusable: ${file} is damaged. A start of the instance writes it again.`,
  );
});

directory(
  "is taken over after a restart of the machine, though another program has number and start",
  async ({ path }) => {
    const other = await idleProcess(["sleep", "600"]);
    await lockOf(path, other.pid, otherBoot(other.pid));
    assert.is(await messageOfOpening(path), "opened");
    await other.end();
  },
);

directory(
  "is refused while a process of another container touches its lock, and taken over afterwards",
  async ({ path }) => {
    const lock = join(path, "lock");
    await lockOf(path, 1, "another-boot 1", { namespace: "pid:[1]" });
    const touching = setInterval(() => utimesSync(lock, new Date(), new Date()), 1_000);
    assert.match(await messageOfOpening(path), "is in use by process 1");
    clearInterval(touching);
    assert.is(await messageOfOpening(path), "opened");
  },
);

directory("is taken over when a process of another container releases its lock meanwhile", async ({ path }) => {
  const lock = join(path, "lock");
  await lockOf(path, 1, "another-boot 1", { namespace: "pid:[1]" });
  const opening = messageOfOpening(path);
  // The file that it links to take the lock; then it looks for a touch.
  while (!(await readdir(path)).some((name) => name.startsWith("lock."))) await new Promise(setImmediate);
  for (let looks = 0; looks < 20; looks += 1) await stat(lock);
  rmSync(lock);
  assert.is(await opening, "opened");
});

directory("is taken over at once when a process of another container has left its lock long ago", async ({ path }) => {
  await lockOf(path, 1, "another-boot 1", { namespace: "pid:[1]" });
  const longAgo = new Date(Date.now() - 6_000);
  utimesSync(join(path, "lock"), longAgo, longAgo);
  const since = performance.now();
  assert.is(await messageOfOpening(path), "opened");
  assert.ok(performance.now() - since < 4_000);
});

directory("whose lock was taken over ends its process", async ({ path }) => {
  const held = join(path, "held");
  const module = JSON.stringify(new URL("../../../infra/data-directory/data-directory.js", import.meta.url).href);
  const program = `
    import { writeFileSync } from "node:fs";
    import { openDataDirectory } from ${module};
    await openDataDirectory(${JSON.stringify(held)});
    setInterval(() => {}, 1_000);
    writeFileSync(${JSON.stringify(join(held, "lock"))}, "of another container");`;
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: "ignore" });
  assert.equal((await once(holder, "exit"))[0], 1);
});

directory("touches its lock, so that other containers see that it is held", async ({ path }) => {
  const opened = await openDataDirectory(path);
  const touchedAt = async () => (await stat(join(path, "lock"))).mtimeMs;
  const first = await touchedAt();
  while ((await touchedAt()) === first) await new Promise(setImmediate);
  await opened.close();
});

directory("leaves the lock of the process that has taken it over when it is closed", async ({ path }) => {
  const opened = await openDataDirectory(path);
  await writeFile(join(path, "lock"), "of another container");
  await opened.close();
  assert.is(await readFile(join(path, "lock"), "utf8"), "of another container");
});

directory("is not held by the lock file of another directory that was copied with it", async ({ path }) => {
  const opened = await openDataDirectory(path);
  const copy = join(path, "copy");
  await mkdir(copy);
  await cp(join(path, "lock"), join(copy, "lock"));
  assert.match(await messageOfOpening(path), "is in use");
  assert.is(await messageOfOpening(copy), "opened");
  await opened.close();
});

directory("is taken over when its lock cannot be read", async ({ path }) => {
  await writeFile(join(path, "lock"), "");
  assert.is(await messageOfOpening(path), "opened");
});

directory("goes to one of many that find it left behind", async ({ path }) => {
  await lockOf(path, 1, "another-boot 1");
  const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => openDataDirectory(path)));
  const opened = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
  assert.is(opened.length, 1);
  assert.equal(await readdir(path), ["lock"]);
  await opened[0]?.close();
});

directory("that cannot be created rejects with a message for the operator", async ({ path }) => {
  await writeFile(join(path, "file"), "");
  assert.match(await messageOfOpening(join(path, "file", "data")), /cannot be used \((ENOTDIR|EEXIST): /);
});

directory.run();

const runFile = suite<Given>("the run file");
runFile.before.each(makePath);
runFile.after.each(removePath);

const run: RunFile = {
  pid: process.pid,
  startedAt: "2026-03-01T00:00:00.000Z",
  version: "0.1.0",
  port: 8080,
  baseUrl: "http://localhost:8080",
  linkBaseUrl: "http://localhost:8080/l",
  apiUrl: "http://localhost:8080",
  operationsUrl: "http://localhost:8081",
  eventStoreUrl: "esdb://touchledger:secret@localhost:2113",
  eventStreamPrefix: "",
  databaseUrl: "postgres://touchledger:secret@127.0.0.1:5432/touchledger",
  adminToken: "0123456789abcdefghijklmnopqrstuv",
  adminTokenFile: null,
};

runFile("describes the running instance, readable by its owner only", async ({ path }) => {
  await writeRunFile(path, run);
  assert.equal(await readRunFile(path), run);
  assert.is((await stat(join(path, "run.json"))).mode & 0o777, 0o600);
  await removeRunFile(path);
  assert.is(await readRunFile(path), null);
  assert.equal(await readdir(path), []);
});

runFile("leaves no part of it when it cannot be written", async ({ path }) => {
  await mkdir(join(path, "run.json"));
  assert.match(await writeRunFile(path, run).then(String, String), /EISDIR|ENOTEMPTY|EEXIST|EPERM/);
  assert.equal(await readdir(path), ["run.json"]);
});

runFile("of a killed instance is ignored", async ({ path }) => {
  const other = await idleProcess();
  await writeRunFile(path, { ...run, pid: other.pid });
  assert.is((await readRunFile(path))?.pid, other.pid);
  await other.end();
  assert.is(await readRunFile(path), null);
});

runFile.run();

const secrets = suite<Given>("the secrets");
secrets.before.each(makePath);
secrets.after.each(removePath);

secrets("are made on a fresh directory, and the same ever after", async ({ path }) => {
  await mkdir(path, { recursive: true });
  const made = await openSecrets({ adminToken: null, urlSigningKey: null }, path);
  const kept = await openSecrets({ adminToken: null, urlSigningKey: null }, path);
  const file = join(path, "admin-token");
  assert.equal(made.adminToken, { text: (await readFile(file, "utf8")).trim(), file, isNew: true });
  assert.equal(kept, { ...made, adminToken: { ...made.adminToken, isNew: false } });
  assert.ok(made.adminToken.text.length >= 32 && made.urlSigningKey.length >= 32);
  assert.is((await stat(file)).mode & 0o777, 0o600);
});

secrets("are made anew where a file is empty, as no secret is", async ({ path }) => {
  await writeFile(join(path, "admin-token"), "\n");
  const { adminToken } = await openSecrets({ adminToken: null, urlSigningKey: null }, path);
  assert.equal([adminToken.text.length, adminToken.isNew], [43, true]);
});

secrets("are those of the environment where it has them", async ({ path }) => {
  assert.equal(await openSecrets({ adminToken: run.adminToken, urlSigningKey: run.adminToken }, path), {
    adminToken: { text: run.adminToken, file: null, isNew: false },
    urlSigningKey: run.adminToken,
  });
  assert.equal(await readdir(path), []);
});

secrets.run();
