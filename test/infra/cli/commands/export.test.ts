import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exportCommand } from "../../../../infra/cli/commands/export.ts";
import {
  cutAfter,
  type ExportServer,
  type Misbehaviour,
  reportId,
  startExportServer,
} from "../../../client/export-server.ts";
import { type CommandOutput, runCommand } from "../../../support/command-line.ts";

const content = Buffer.from(`event_id\r\n${"0,1,2,3\r\n".repeat(10_000)}`);
const usual = process.cwd();

let server: ExportServer;
let directory: string;
const test = suite("touchledger export");
test.before.each(async () => {
  server = await startExportServer(content);
  server.answer = status;
  directory = await mkdtemp(join(tmpdir(), "touchledger-test-"));
  process.chdir(directory);
});
test.after.each(async () => {
  process.chdir(usual);
  server.stop();
  await rm(directory, { recursive: true });
});

let body: unknown;
/** A sound server's answers: an export that has its file when it is asked the second time. */
const status: Misbehaviour = async (request, response) => {
  response.setHeader("Retry-After", "0");
  if (request.method === "POST") {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    body = JSON.parse(Buffer.concat(pieces).toString());
    return void response.end(JSON.stringify({ at: 1, data: { reportID: reportId } }));
  }
  const isFirst = server.requests.filter((request) => request === `GET ${statusPath}`).length === 1;
  response.statusCode = isFirst ? 202 : 200;
  response.end(JSON.stringify({ data: { url: isFirst ? null : server.address() } }));
};
const requestPath = "/log-export/api/v3/apps/shop/app/request";
const statusPath = `/log-export/api/v3/apps/shop/request/${reportId}`;

const query = [
  ...["--type", "app", "--from", "2026-03-01", "--to", "2026-03-02 12:00:00"],
  ...["--events", "app_installs,app_order_complete", "--properties", "event_id,channel"],
];

/** Runs the command; its download is given up after so long without a byte. */
const runPatiently = (timeoutMs: number, ...words: readonly string[]): Promise<CommandOutput> =>
  runCommand(exportCommand({ timeoutMs, stalledMs: 2_000, pauseMs: 1 }), [
    ...["--app", "shop", "--url", server.baseUrl, "--token", "tl_api_token"],
    ...words,
  ]);
const run = (...words: readonly string[]): Promise<CommandOutput> => runPatiently(5_000, ...words);

const summary = (name: string) =>
  [`File     ${name}`, "Rows     7", `Bytes    ${content.length}`, `SHA-256  ${server.sha256}`].join("\n");
const requested = `Export ${reportId} was requested.`;
const hint = `\n  To download it, or go on, give --id ${reportId} in place of the query, and the same --app, --format and --out.`;

test("prints the id of the export", async () => {
  assert.equal(await run(...query, "--filter", "channel!=partner"), { failure: "", out: String(reportId), err: "" });
  assert.equal(body, {
    dateRange: { start: "2026-03-01 00:00:00", end: "2026-03-02 12:00:00" },
    events: ["app_installs", "app_order_complete"],
    properties: ["event_id", "channel"],
    filters: [{ dimension: "channel", filterType: "NOT IN", values: ["partner"] }],
  });
  assert.equal(server.requests, [`POST ${requestPath}`]);
});

test("--wait downloads the file, also when it is cut, and leaves nothing else", async () => {
  server.next.push(cutAfter(100), cutAfter(20_000));
  const name = `export-${reportId}.csv`;
  assert.equal(await run(...query, "--wait"), { failure: "", out: summary(name), err: requested });
  assert.equal(await readdir("."), [name]);
  assert.ok((await readFile(name)).equals(content));
  assert.equal(server.requests.slice(0, 3), [`POST ${requestPath}`, `GET ${statusPath}`, `GET ${statusPath}`]);
});

test("--out names the file, and waits", async () => {
  const { failure, out } = await run(...query, "--out", join(directory, "rows.csv"));
  assert.equal([failure, out], ["", summary(join(directory, "rows.csv"))]);
});

test("--format parquet requests a Parquet file", async () => {
  server.stop();
  const parquet = Buffer.from(`PAR1${"rows".repeat(1_000)}PAR1`);
  server = await startExportServer(parquet);
  server.answer = status;
  assert.is((await run(...query, "--wait", "--format", "parquet")).failure, "");
  assert.ok((await readFile(`export-${reportId}.parquet`)).equals(parquet));
});

test("--id goes on where a download was given up", async () => {
  server.next.push(cutAfter(30_000), ...Array.from({ length: 1_000 }, () => cutAfter(0)));
  const { failure } = await runPatiently(50, ...query, "--out", "rows.csv");
  assert.ok(failure.startsWith("ApiCallFailed: Nothing has arrived for 0.05 s: "), failure);
  assert.ok(failure.endsWith(hint), failure);
  assert.equal(await readdir("."), [`rows.csv.${reportId}.part`]);
  server.next.length = 0;
  server.requests.length = 0;
  assert.equal(await run("--id", String(reportId), "--out", "rows.csv"), {
    failure: "",
    out: summary("rows.csv"),
    err: "",
  });
  assert.ok((await readFile("rows.csv")).equals(content));
  assert.equal(server.requests.slice(-2), ["HEAD /file", "GET /file bytes=30000-"]);
});

test("a file with other bytes gets no name", async () => {
  server.next.push((_request, response) => {
    response.setHeader("ETag", `"${server.sha256}"`).end(Buffer.from(content).fill("x", 500, 501));
  });
  const { failure } = await run(...query, "--wait");
  const message = "ApiCallFailed: What arrived has another SHA-256 than the server names; it must not be used.";
  assert.is(failure, `${message}${hint}`);
  assert.equal(await readdir("."), []);
});

test("an existing file is only replaced with --force, and nothing is requested for it", async () => {
  const name = `export-${reportId}.csv`;
  await writeFile(name, "mine");
  const exists = `FileUnusable: ${name} exists already; give --force to replace it.`;
  for (const words of [
    [...query, "--out", name],
    ["--id", String(reportId)],
  ]) {
    assert.is((await run(...words)).failure, exists);
  }
  assert.equal([await readFile(name, "utf8"), server.requests], ["mine", []]);
  assert.is((await run(...query, "--wait", "--force")).failure, "");
  assert.ok((await readFile(name)).equals(content));
});

test("nothing is requested for a missing directory", async () => {
  const message = "FileUnusable: missing does not exist.";
  assert.is((await run(...query, "--out", "missing/rows.csv")).failure, message);
  assert.equal(server.requests, []);
});

test("ends with the faults of each field as a table when the query is refused", async () => {
  const errors = [{ loc: ["body", "events", 0], msg: "is not an event of this export\u001b[2J", type: "not_allowed" }];
  const problem = { code: "VALIDATION_FAILED", detail: "Some fields are wrong.", errors };
  server.answer = (_request, response) => void response.writeHead(400).end(JSON.stringify(problem));
  const fault = "is not an event of this export\uFFFD[2J";
  const table = ["field          fault", `-------------  ${"-".repeat(fault.length)}`, `body.events.0  ${fault}`].join(
    "\n",
  );
  const failure = `ApiCallFailed: ${server.baseUrl} refused with 400.`;
  assert.equal(await run(...query), { failure, out: table, err: "" });
  assert.equal(await run(...query, "--out", "-"), { failure, out: "", err: table });
});

test("says when another export may be requested", async () => {
  const detail = "An app may request 100 exports a day.";
  server.answer = (_request, response) =>
    void response
      .writeHead(429, { "Retry-After": "7200" })
      .end(JSON.stringify({ code: "EXPORT_LIMIT_REACHED", detail }));
  const { failure } = await run(...query);
  const message = `ApiCallFailed: ${server.baseUrl} refused with 429: ${detail} Try again after `;
  assert.ok(failure.startsWith(message), failure);
  const [, at = ""] = /after (\S+), in 120 minutes\.$/.exec(failure) ?? [];
  assert.ok(Math.abs(Date.parse(at) - Date.now() - 7_200_000) < 60_000, failure);
});

test("says why an export failed", async () => {
  server.answer = (_request, response) =>
    void response.writeHead(409).end(JSON.stringify({ code: "EXPORT_FAILED", detail: "Request it again.\u001b" }));
  const { failure } = await run("--id", String(reportId));
  assert.is(failure, `ApiCallFailed: Export ${reportId} failed. Request it again.\uFFFD`);
});

test("says which options are missing, wrong, or do not belong together", async () => {
  const message = [
    [[], "error: --type, --from, --to, --events, --properties must be given, or --id of an export"],
    [["--id", "7", "--type", "app"], "error: option '--id <reportID>' cannot be used with option '--type <type>'"],
    [["--id", "seven"], "It must be the number that the request returned."],
    [[...query, "--filter", "channel="], 'It names no value behind "=".'],
    [[...query, "--from", "2026-02-30"], "It must be a date like 2026-03-31"],
    [[...query, "--format", "json"], "Allowed choices are csv, parquet."],
  ] as const;
  for (const [words, text] of message) {
    const { err } = await run(...words);
    assert.ok(err.includes(text), `${words.join(" ")}: ${err}`);
  }
  assert.equal(server.requests, []);
});

test.run();
