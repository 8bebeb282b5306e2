// time limit: 120 s
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, localDate } from "../../../domain/local-time.ts";
import { type AppTokens, type House, registerApp, startHouse, temporaryDirectory } from "../../house.ts";

const program = fileURLToPath(new URL("../../../infra/cli/touchledger.js", import.meta.url));
const today = localDate("Asia/Seoul", Date.now());
const rows = 300;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let house: House;
let tokens: AppTokens;
const test = suite("touchledger export of a running instance");
test.before(async () => {
  directory = await temporaryDirectory();
  house = await startHouse(join(directory.path, "data"));
  tokens = await registerApp(house.operator);
  const events = Array.from({ length: rows }, (_, index) => {
    const device = { id: randomUUID(), model: `model ${index}` };
    return { eventId: randomUUID(), eventTimestamp: Date.now(), category: "app_install", device };
  });
  await house.client(tokens.sdk).send("POST", "/events/v1/apps/shop/app-events", { events });
});
test.after(async () => {
  await house.stop();
  await directory.remove();
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command where no terminal is. */
function run(...words: readonly string[]): Promise<Ended> {
  const env = { ...process.env, DATA_DIR: join(directory.path, "data"), TOUCHLEDGER_TOKEN: tokens.api };
  const given = [program, "export", "--app", "shop", ...words];
  return new Promise((resolve) => {
    execFile(process.execPath, given, { env, cwd: directory.path }, (failure, out, err) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), out, err });
    });
  });
}

const query = [
  ...["--type", "app", "--from", addDays(today, -1), "--to", today, "--events", "app_installs"],
  ...["--properties", "event_id,device_model", "--filter", "device_model~=model"],
];

test("a file is requested, downloaded, resumed and written to standard output", async () => {
  const whole = await run(...query, "--out", "rows.csv");
  assert.is(whole.code, 0, whole.err);
  const content = await readFile(join(directory.path, "rows.csv"));
  const sha256 = createHash("sha256").update(content).digest("hex");
  const summary = (name: string) =>
    `File     ${name}\nRows     ${rows}\nBytes    ${content.length}\nSHA-256  ${sha256}\n`;
  assert.is(whole.out, summary("rows.csv"));
  assert.is(content.toString().split("\r\n").length, rows + 2);
  const [, id = ""] = /^Export (\d+) was requested\.\n$/.exec(whole.err) ?? [];
  await writeFile(join(directory.path, `again.csv.${id}.part`), content.subarray(0, 1_000));
  const [resumed, piped] = await Promise.all([
    run("--id", id, "--out", "again.csv"),
    run("--id", id, "--out", "-"),
    run("--id", id, "--format", "parquet"),
  ]);
  assert.equal(resumed, { code: 0, out: summary("again.csv"), err: "" });
  assert.equal(piped, { code: 0, out: content.toString(), err: summary("standard output") });
  assert.ok((await readFile(join(directory.path, "again.csv"))).equals(content));
  assert.is((await readFile(join(directory.path, `export-${id}.parquet`))).subarray(-4).toString(), "PAR1");
  assert.equal(
    (await readdir(directory.path)).filter((name) => name.endsWith(".part")),
    [],
  );
});

test("ends with 1 and the faults as a table when the query is refused", async () => {
  const { code, out, err } = await run(...query, "--properties", "shoe_size");
  assert.equal([code, err], [1, `${house.run.baseUrl} refused the query with 400.\n`]);
  assert.match(out, /^field {14}fault\n-+ {2}-+\nbody\.properties\.2 {2}is not a property/);
});

test.run();
