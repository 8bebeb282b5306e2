// time limit: 60 s
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "../support/application-process.ts";
import { program } from "../support/paths.ts";

/** Root may read everything: the program runs as nobody then, else as the user of the tests. */
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};

const unprivileged = suite<{ directory: Awaited<ReturnType<typeof temporaryDirectory>> }>(
  "touchledger start of a user who may not",
);
unprivileged.before(async (context) => {
  context.directory = await temporaryDirectory();
  await chmod(context.directory.path, 0o755);
});
unprivileged.after(({ directory }) => directory.remove());

/** A directory of the user's own. */
async function ownDirectory(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  if (isRoot) await chown(path, user.uid ?? 0, user.gid ?? 0);
  return path;
}

/** A file of the user's own that nobody may read. */
async function secretFile(path: string): Promise<string> {
  await writeFile(path, "secret\n", { mode: 0 });
  if (isRoot) await chown(path, user.uid ?? 0, user.gid ?? 0);
  return path;
}

async function startedOn(dataDirectory: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const environment = { PORT: "0", LOG_LEVEL: "silent", DATA_DIR: dataDirectory, EVENTSTORE_URL: "", DATABASE_URL: "" };
  const child = spawn(process.execPath, [program, "start"], { env: { ...process.env, ...environment }, ...user });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(String(chunk)));
  await once(child, "close");
  return { code: child.exitCode, output: output.join("") };
}

unprivileged("make its directory is one line", async ({ directory }) => {
  const parent = join(directory.path, "closed");
  await mkdir(parent, { mode: 0o555 });
  const data = join(parent, "data");
  assert.equal(await startedOn(data), {
    code: 1,
    output: unusable(data, `EACCES: permission denied, mkdir '${data}'`),
  });
});

unprivileged("read its key is one line", async ({ directory }) => {
  const data = await ownDirectory(join(directory.path, "of-user"));
  const store = await ownDirectory(join(data, "event-store"));
  const key = await secretFile(join(store, "tls-key.pem"));
  assert.equal(await startedOn(data), {
    code: 1,
    output: `EACCES: permission denied, open '${key}'. Can this user read and write it?\n`,
  });
});

unprivileged("write its event store is one line", async ({ directory }) => {
  const data = await ownDirectory(join(directory.path, "read-only"));
  const file = await secretFile(join(await ownDirectory(join(data, "event-store")), "data.mdb"));
  await chmod(file, 0o444);
  assert.equal(await startedOn(data), {
    code: 1,
    output: `EACCES: permission denied, open '${file}'. Can this user read and write it?\n`,
  });
});

// Without root there is no other user.
if (isRoot)
  unprivileged("read a secret of another user is one line", async ({ directory }) => {
    const data = await ownDirectory(join(directory.path, "of-two"));
    const key = join(data, "url-signing-key");
    await writeFile(key, "secret", { mode: 0o600 });
    assert.equal(await startedOn(data), {
      code: 1,
      output: unusable(data, `EPERM: operation not permitted, chmod '${key}'`),
    });
  });

function unusable(data: string, reason: string): string {
  return `The data directory ${data} cannot be used (${reason}). Let this user write to it and own its files, or set DATA_DIR to another directory.\n`;
}

unprivileged.run();
