import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { uuidv7 } from "uuidv7";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reportCommand } from "../../../infra/cli/commands/report.ts";
import { reportModules, reports } from "../../../infra/composition/report-modules.ts";

/** A task as each report says it, and what is to be said of it. */
const inTask = (status: string, notifications: readonly object[]) => ({
  task: { status, taskId: "t-1" },
  notifications,
});
const inData = (status: string, notification: readonly object[]) => ({ data: { status, taskId: "t-1" }, notification });

let directory: string;
const test = suite("touchledger report run");
test.before(async () => {
  directory = await mkdtemp(join(tmpdir(), "touchledger-test-"));
});
test.after(() => rm(directory, { recursive: true }));

const nowhere = ["--url", "http://127.0.0.1:1"];
const shop = ["--app", "shop"];

/** What the command says when it fails. */
async function failureOf(content: unknown, ...words: readonly string[]): Promise<string> {
  const file = join(directory, "query.json");
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  return reportCommand()
    .parseAsync(["run", "--file", file, "--token", "tl_api_token", ...words], { from: "user" })
    .then(() => "", String);
}

/** A server whose responses have a request id. */
async function startServer(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    response.setHeader("X-Request-Id", uuidv7());
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

test("says what is wrong with its file", async () => {
  for (const content of ["", "{", "[1,]"]) {
    const failure = await failureOf(content, ...nowhere, ...shop);
    assert.match(failure, /^FileUnusable: .*\.json is not JSON: .*(end of JSON|in JSON|is not valid JSON).*\.$/);
  }
  for (const content of ["[]", "null", "7"]) {
    assert.match(await failureOf(content, ...nowhere, ...shop), /^FileUnusable: .*\.json holds no JSON object\.$/);
  }
  for (const report of ["attribution", "toString", 7, null]) {
    const failure = await failureOf({ report }, ...nowhere, ...shop);
    assert.ok(failure.endsWith(`names no kind of report: ${Object.keys(reportModules).join(", ")}.`), failure);
  }
  const misspelled = await failureOf({ report: "revenu" }, ...nowhere, ...shop);
  assert.ok(misspelled.endsWith(" Did you mean revenue?"), misspelled);
  const unnamed = /^FileUnusable: Name the app: give --app, or write "app" into the query\.$/;
  for (const app of [{}, { app: 7 }]) assert.match(await failureOf(app, ...nowhere), unnamed);
  const missing = join(directory, "missing.json");
  const message = `FileUnusable: There is no file ${missing}.`;
  assert.is(await failureOf({}, ...nowhere, ...shop, "--file", missing), message);
});

test("reads files of 1 MiB, and no larger ones", async () => {
  const blanks = (bytes: number) => `{}${" ".repeat(bytes - 2)}`;
  const [most, atMost, fewer] = [1024 * 1024 + 1, 1024 * 1024, 1024 * 1024 - 1].map(blanks);
  assert.match(await failureOf(most, ...nowhere, ...shop), /is larger than any query may be\.$/);
  for (const content of [atMost, fewer]) {
    assert.match(await failureOf(content, ...nowhere, ...shop), /^ApiCallFailed: Nothing responds at /);
  }
});

const bodyOf = { task: inTask, data: inData };
for (const { kind: report, path: template, taskMember } of reports) {
  const path = template.replace(":app_name", "shop");
  const [requestedAs, readAs] = [bodyOf[taskMember.post], bodyOf[taskMember.get]];
  test(`--wait ends with 1 and the reason when there is no result: ${report}`, async () => {
    const requests: string[] = [];
    let end = readAs("FAILURE", [{ code: "REPORT_TOO_SLOW", message: "Ask for less\u001b[2J." }]);
    const { url, stop } = await startServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.end(JSON.stringify(request.method === "POST" ? requestedAs("RUNNING", []) : end));
    });
    const failed = "ApiCallFailed: Report t-1 ended as FAILURE.\n  Ask for less\uFFFD[2J.";
    assert.is(await failureOf({ report }, ...shop, "--wait", "--url", url), failed);
    assert.equal(requests, [`POST ${path}`, `GET ${path}/t-1?size=1`]);
    end = readAs("CANCELED", []);
    const canceled = "ApiCallFailed: Report t-1 ended as CANCELED.";
    assert.is(await failureOf({ report: "none" }, ...shop, "--wait", "--url", url, "--report", report), canceled);
    stop();
  });
}

test("--wait names the task of a report that it cannot read", async () => {
  const { url, stop } = await startServer((request, response) => {
    if (request.method === "GET") response.statusCode = 410;
    response.end(JSON.stringify(inTask("RUNNING", [])));
  });
  const failure = await failureOf({}, ...shop, "--wait", "--url", url);
  assert.is(failure, `ApiCallFailed: ${url} refused with 410.\n  The task of the report is t-1.`);
  stop();
});

test.run();
