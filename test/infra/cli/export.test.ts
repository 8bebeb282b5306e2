// time limit: 120 s
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import { exportCommand } from "../../../infra/cli/commands/export.ts";
import {
  type AppTokens,
  type RunningApplication,
  registerApp,
  runApplication,
  temporaryDirectory,
} from "../../support/application-process.ts";
import { program } from "../../support/paths.ts";

const today = localDate("Asia/Seoul", Date.now());
const rows = 100;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let application: RunningApplication;
let tokens: AppTokens;
const test = suite("touchledger export of a running instance");
test.before(async () => {
  directory = await temporaryDirectory();
  application = await runApplication(join(directory.path, "data"));
  tokens = await registerApp(application.operator);
  const events = Array.from({ length: rows }, (_, index) => {
    const device = { id: randomUUID(), model: `model ${index}` };
    return { eventId: randomUUID(), eventTimestamp: Date.now(), category: "app_install", device };
  });
  await application.client(tokens.sdk).send("POST", "/events/v1/apps/shop/app-events", { events });
});
test.after(async () => {
  await application.stop();
  await directory.remove();
});

const flags = (): readonly string[] => ["--app", "shop", "--url", application.run.baseUrl, "--token", tokens.api];

/** Runs the command in this process; answers what it prints. */
async function run(...words: readonly string[]): Promise<{ readonly out: string; readonly err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const { log, error } = console;
  console.log = (line) => void out.push(`${line}\n`);
  console.error = (line) => void err.push(`${line}\n`);
  try {
    await exportCommand().parseAsync([...flags(), ...words], { from: "user" });
    return { out: out.join(""), err: err.join("") };
  } finally {
    Object.assign(console, { log, error });
  }
}

/** Runs the program where no terminal is. */
function runProgram(...words: readonly string[]): Promise<{ readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, "export", ...flags(), ...words], (_failure, out, err) =>
      resolve({ out, err }),
    );
  });
}

const query = [
  ...["--type", "app", "--from", addDays(today, -1), "--to", today, "--events", "app_installs"],
  ...["--properties", "event_id,device_model", "--filter", "device_model~=model"],
];

test("a file is requested, downloaded, resumed and written to standard output", async () => {
  const first = join(directory.path, "rows.csv");
  const again = join(directory.path, "again.csv");
  const parquet = join(directory.path, "rows.parquet");
  const requested = await run(...query, "--out", first);
  const content = await readFile(first);
  const sha256 = createHash("sha256").update(content).digest("hex");
  const summary = (name: string) =>
    `File     ${name}\nRows     ${rows}\nBytes    ${content.length}\nSHA-256  ${sha256}\n`;
  assert.is(requested.out, summary(first));
  assert.is(content.toString().split("\r\n").length, rows + 2);
  const [, id = ""] = /^Export (\d+) was requested\.\n$/.exec(requested.err) ?? [];

  await writeFile(`${again}.${id}.part`, content.subarray(0, 1_000));
  assert.equal(await run("--id", id, "--out", again), { out: summary(again), err: "" });
  assert.ok((await readFile(again)).equals(content));

  await run("--id", id, "--format", "parquet", "--out", parquet);
  assert.is((await readFile(parquet)).subarray(-4).toString(), "PAR1");

  const piped = await runProgram("--id", id, "--out", "-");
  assert.equal(piped, { out: content.toString(), err: summary("standard output") });
  const left = (await readdir(directory.path)).filter((name) => name.endsWith(".part"));
  assert.equal(left, []);
});

test.run();
