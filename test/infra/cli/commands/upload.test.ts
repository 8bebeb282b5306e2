// time limit: 120 s
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { uploadCommand } from "../../../../infra/cli/commands/upload.ts";
import { type Ended, runCommand, runProgram } from "../../../support/command-line.ts";
import { runShop } from "../../../support/running-shop.ts";

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const spend = "date,channel,currency,campaign,impressions,clicks,cost\n2026-03-01,partner,USD,spring,100,10,1.50\n";
const metric = "date,channel,event_category,event_value\n2026-03-01,partner,visits,12\n";

const { application, tokens, directory, data, end } = await runShop();
const owner = tokens.api;
const test = suite("touchledger upload");
test.after(end);

async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

/** Runs the command; `environment` adds to DATA_DIR and the owner's token. */
const upload = (words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  runProgram(["upload", ...words], { DATA_DIR: data, TOUCHLEDGER_TOKEN: owner, ...environment });

test("sends a file and prints its request id and status", async () => {
  const { code, out, err } = await upload([await fileOf("spend.csv", spend), "--kind", "ad-spend"]);
  assert.equal([code, err], [0, ""]);
  assert.match(out, new RegExp(`^Upload ${uuid} of spend\\.csv: uploaded\n$`));
});

/** What the command prints in this process. */
async function printed(words: readonly string[]): Promise<string> {
  const connection = ["--url", `${application.run.baseUrl}/`, "--token", owner];
  const { failure, out, err } = await runCommand(uploadCommand(), [...words, ...connection]);
  assert.equal([failure, err], ["", ""], out);
  return out;
}

for (const [kind, content] of [
  ["ad-spend", spend],
  ["metric", gzipSync(metric)],
  ["legacy-cost", spend.replace("2026-03-01", new Date(Date.now() - 86_400_000).toISOString().slice(0, 10))],
] as const) {
  test(`--watch waits until the rows of ${kind} are in reports`, async () => {
    const out = await printed([await fileOf(`${kind}.csv`, content), "--kind", kind, "--watch"]);
    const name = `${kind}\\.csv`;
    assert.match(out, new RegExp(`^Upload (${uuid}) of ${name}: uploaded\nUpload \\1 of ${name}: succeeded$`));
  });
}

test("--watch ends with 1 and the faults of each column as a table when the file is refused", async () => {
  const broken = `${spend.replace(",cost", ",\u001b[2Jcost")}2026-02-30,partner,USD,spring,1,1,1\n`;
  const { code, out } = await upload([await fileOf("broken.csv", broken), "--kind", "ad-spend", "--watch"]);
  assert.is(code, 1, out);
  assert.match(out, new RegExp(`Upload ${uuid} of broken\\.csv: failed\n\ncolumn +fault\n-+ +-+\n`));
  assert.match(out, /^cost +\S/m);
  assert.ok(out.includes("\uFFFD[2Jcost"), out);
  assert.not.ok(out.includes("\u001b"), "a terminal would obey it");
});

test("ends with 1 and one line when it cannot be done", async () => {
  const file = await fileOf("some.csv", spend);
  const missing = join(directory, "missing.csv");
  const elsewhere = join(directory, "elsewhere");
  const ended = await Promise.all([
    upload([missing, "--kind", "ad-spend"]),
    upload([file, "--kind", "ad-spend", "--watch"], { DATA_DIR: elsewhere }),
    upload([file, "--kind", "ad-spend"], { TOUCHLEDGER_TOKEN: "tl_api_unknown" }),
  ]);
  assert.equal(
    ended,
    [
      `There is no file ${missing}.\n`,
      `No Touchledger runs on ${elsewhere}. Start it there, set DATA_DIR, or give the address of another with --url.\n`,
      `${application.run.baseUrl} refused with 401: Send a known token: Authorization: Bearer <token>.\n`,
    ].map((err) => ({ code: 1, out: "", err })),
  );
});

/** What the command says when it fails, in this process. */
async function failureOf(file: string, more: { readonly url?: string; readonly token?: string } = {}): Promise<string> {
  const { url = application.run.baseUrl, token = owner } = more;
  const words = [file, "--kind", "ad-spend", "--url", url, "--token", token];
  return (await runCommand(uploadCommand(), words)).failure;
}

test("sends no directory, and nothing larger than any upload may be", async () => {
  const atMost = await fileOf("at-most.csv", Buffer.alloc(8 * 1024 * 1024));
  const large = await fileOf("large.csv", Buffer.alloc(8 * 1024 * 1024 + 1));
  assert.equal(
    [await failureOf(directory), await failureOf(large), await failureOf(atMost)],
    [
      `FileUnusable: ${directory} is not a file.`,
      `FileUnusable: ${large} is larger than any upload may be.`,
      `ApiCallFailed: ${application.run.baseUrl} refused with 413: The body has more than 8,388,608 bytes, the limit of this endpoint. Send less, or split it where the endpoint takes lists.`,
    ],
  );
});

test("sends nothing without an address and a token", async () => {
  const file = await fileOf("some.csv", spend);
  const noToken = "ApiCallFailed: A token is needed: set TOUCHLEDGER_TOKEN, or give --token.";
  assert.is(await failureOf(file, { token: " " }), noToken);
  assert.is(
    await failureOf(file, { token: "a\nb" }),
    "ApiCallFailed: The token contains characters that no token has. Copy it again, whole.",
  );
  for (const url of ["localhost:8080", "ftp://127.0.0.1", "http://user@127.0.0.1", "http://127.0.0.1?a"]) {
    assert.is(await failureOf(file, { url }), `ApiCallFailed: --url must be an http or https address; it is "${url}".`);
  }
});

test("reports an unreachable server and refusals, without control characters", async () => {
  const file = await fileOf("some.csv", spend);
  const url = "http://127.0.0.1:1";
  assert.is(await failureOf(file, { url }), `ApiCallFailed: Nothing responds at ${url} (bad port). Does it run there?`);
  assert.is(
    await failureOf(file, { token: application.run.adminToken }),
    `ApiCallFailed: ${application.run.baseUrl} refused with 403: This token may not do this. Use a token whose role may.`,
  );
  let [status, answer] = [502, "<html>\u001b[2J"];
  const stranger = createServer((_request, response) => response.writeHead(status).end(answer));
  stranger.listen(0, "127.0.0.1");
  await once(stranger, "listening");
  const { port } = stranger.address() as AddressInfo;
  const strange = `http://127.0.0.1:${port}`;
  assert.is(await failureOf(file, { url: strange }), `ApiCallFailed: ${strange} refused with 502.`);
  answer = JSON.stringify({ code: "INVALID", detail: "\u001b[2J", errors: [{ loc: ["body", 1], msg: "\r" }] });
  const message = `ApiCallFailed: ${strange} refused with 502: \uFFFD[2J\n  body.1 \uFFFD`;
  assert.is(await failureOf(file, { url: strange }), message);
  [status, answer] = [200, "<html>"];
  assert.is(
    await failureOf(file, { url: strange }),
    `ApiCallFailed: The server at ${strange} is not a Touchledger. Check the address.`,
  );
  stranger.close();
});

test.run();
