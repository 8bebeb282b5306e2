// time limit: 120 s
import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import { exportCommand } from "../../../infra/cli/commands/export.ts";
import { runCommand, runProgram } from "../../support/command-line.ts";
import { runShop } from "../../support/running-shop.ts";

const today = localDate("Asia/Seoul", Date.now());
const rows = 100;

const { application, tokens, directory, end } = await runShop();
const test = suite("touchledger export of a running instance");
test.before(async () => {
  const events = Array.from({ length: rows }, (_, index) => {
    const device = { id: randomUUID(), model: `model ${index}` };
    return { eventId: randomUUID(), eventTimestamp: Date.now(), category: "app_install", device };
  });
  await application.client(tokens.sdk).send("POST", "/events/v1/apps/shop/app-events", { events });
});
test.after(end);

const flags = (): readonly string[] => ["--app", "shop", "--url", application.run.baseUrl, "--token", tokens.api];

const run = (...words: readonly string[]) => runCommand(exportCommand(), [...flags(), ...words]);

const query = [
  ...["--type", "app", "--from", addDays(today, -1), "--to", today, "--events", "app_installs"],
  ...["--properties", "event_id,device_model", "--filter", "device_model~=model"],
];

test("a file is requested, downloaded, resumed and written to standard output", async () => {
  const first = join(directory, "rows.csv");
  const again = join(directory, "again.csv");
  const parquet = join(directory, "rows.parquet");
  const requested = await run(...query, "--out", first);
  const content = await readFile(first);
  const sha256 = createHash("sha256").update(content).digest("hex");
  const summary = (name: string) =>
    `File     ${name}\nRows     ${rows}\nBytes    ${content.length}\nSHA-256  ${sha256}`;
  assert.is(requested.out, summary(first));
  assert.is(content.toString().split("\r\n").length, rows + 2);
  const [, id = ""] = /^Export (\d+) was requested\.$/.exec(requested.err) ?? [];

  await writeFile(`${again}.${id}.part`, content.subarray(0, 1_000));
  assert.equal(await run("--id", id, "--out", again), { failure: "", out: summary(again), err: "" });
  assert.ok((await readFile(again)).equals(content));

  await run("--id", id, "--format", "parquet", "--out", parquet);
  assert.is((await readFile(parquet)).subarray(-4).toString(), "PAR1");

  const piped = await runProgram(["export", ...flags(), "--id", id, "--out", "-"]);
  assert.equal(piped, { code: 0, out: content.toString(), err: `${summary("standard output")}\n` });
  const left = (await readdir(directory)).filter((name) => name.endsWith(".part"));
  assert.equal(left, []);
});

test.run();
