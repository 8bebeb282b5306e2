import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { processIdentity } from "../../../infra/data-directory/processes.ts";
import { readRunFile } from "../../../infra/data-directory/run-file.ts";
import { clusterIn } from "../../../infra/postgres/server-home.ts";
import { temporaryDirectory } from "../../support/application-process.ts";
import { streamsOf } from "../../support/event-store.ts";
import { program } from "../../support/paths.ts";
import { testPostgres } from "../../support/stores.ts";

const test = suite("a command that has started the stores itself");

test("stops them when Ctrl-C ends it", async () => {
  const directory = await temporaryDirectory();
  for (const name of ["event-store", "postgres"]) await mkdir(join(directory.path, name));
  const command = spawn(process.execPath, [program, "projection", "rebuild", "--all"], {
    env: { ...process.env, ...streamsOf({ DATA_DIR: directory.path }), DATA_DIR: directory.path, LOG_LEVEL: "warn" },
    stdio: "ignore",
  });
  const ended = once(command, "exit");
  const postmaster = join(clusterIn(join(directory.path, "postgres", "server")), "postmaster.pid");
  // While the cluster is made, the file has a negative number, or is absent.
  const readPid = async () => Number.parseInt(await readFile(postmaster, "utf8").catch(() => "0"), 10);
  let pid = await readPid();
  for (; !(pid > 0) && command.exitCode === null; pid = await readPid()) await pause(5);
  assert.is.not(processIdentity(pid), null);
  command.kill("SIGINT");
  assert.equal(await ended, [130, null]);
  assert.equal([processIdentity(pid), existsSync(join(directory.path, "lock"))], [null, false]);
  await directory.remove();
});

test.run();

const printing = suite("a command whose output cannot be written");

/** Prints a line to `output` with the handler of commands; the exit code, and what it says on standard error. */
async function printTo(output: number | "pipe"): Promise<readonly unknown[]> {
  const module = new URL("../../../infra/cli/early-end.js", import.meta.url).href;
  const script = `import { endWithOutput } from "${module}"; endWithOutput(); setInterval(() => console.log("a line"), 1);`;
  const command = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", output, "pipe"] });
  command.stdout?.once("data", () => command.stdout?.destroy());
  const [said, [code]] = await Promise.all([text(command.stderr as Readable), once(command, "exit")]);
  return [code, said];
}

const noSpaceLeft = "Standard output cannot be written: ENOSPC: no space left on device, write.\n";

printing("says why it ends on a full disk", async () => {
  if (process.platform !== "linux") return;
  const full = await open("/dev/full", "w");
  assert.equal(await printTo(full.fd), [1, noSpaceLeft]);
  await full.close();
});

printing(
  "runs on without its greeting if it is the application, and to its end without progress, not results",
  async () => {
    if (process.platform !== "linux") return;
    const full = await open("/dev/full", "w");
    const directory = await temporaryDirectory();
    const stores = { DATA_DIR: directory.path, DATABASE_URL: await testPostgres() };
    const env = { ...process.env, ...streamsOf(stores), ...stores, PORT: "0", LOG_LEVEL: "warn" };
    const started = spawn(process.execPath, [program, "start"], { env, stdio: ["ignore", full.fd, "pipe"] });
    const ended = Promise.all([text(started.stderr as Readable), once(started, "exit")]);
    while (started.exitCode === null && (await readRunFile(directory.path)) === null) await pause(50);
    const rebuild = spawn(process.execPath, [program, "projection", "rebuild", "--all"], {
      env,
      stdio: ["ignore", "pipe", full.fd],
    });
    const rebuilt = await Promise.all([text(rebuild.stdout as Readable), once(rebuild, "exit")]);
    assert.equal(rebuilt, ["All read models are rebuilt.\n", [0, null]]);
    const status = spawn(process.execPath, [program, "projection", "status"], {
      env,
      stdio: ["ignore", full.fd, "pipe"],
    });
    assert.equal(await Promise.all([text(status.stderr as Readable), once(status, "exit")]), [noSpaceLeft, [1, null]]);
    started.kill("SIGTERM");
    assert.equal(await ended, ["", [0, null]]);
    await full.close();
    await directory.remove();
  },
);

printing("ends quietly with the program that reads it", async () => {
  assert.equal(await printTo("pipe"), [141, ""]);
});

printing.run();
