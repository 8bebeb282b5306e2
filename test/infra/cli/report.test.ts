// time limit: 120 s
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, localDate } from "../../../domain/local-time.ts";
import { reportCommand } from "../../../infra/cli/commands/report.ts";
import { type AppTokens, type House, registerApp, startHouse, temporaryDirectory } from "../../house.ts";

const program = fileURLToPath(new URL("../../../infra/cli/touchledger.js", import.meta.url));
const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const today = localDate("Asia/Seoul", Date.now());
const query = {
  from: addDays(today, -1),
  to: today,
  groupBys: ["event_category", "device_model"],
  metrics: ["app_events", "app_revenue"],
  filters: [],
  sorts: [{ fieldName: "event_category", isAscending: true }],
};

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let data: string;
let house: House;
let tokens: AppTokens;
const test = suite("touchledger report run");
test.before(async () => {
  directory = await temporaryDirectory();
  data = join(directory.path, "data");
  house = await startHouse(data);
  tokens = await registerApp(house.operator);
  const event = (category: string, more: object = {}, model = "Pixel \u001b[2J") => {
    const device = { id: randomUUID(), os: "Android", model };
    return { eventId: randomUUID(), eventTimestamp: Date.now(), category, device, ...more };
  };
  const events = [
    event("app_install"),
    // Their sum is no number of JavaScript's.
    event("app_order_complete", { value: 9_007_199_254_740_992, currency: "USD" }),
    event("app_order_complete", { value: 1, currency: "USD" }),
    event("app_subscribe", { value: 7, currency: "GBP" }),
    ...Array.from({ length: 101 }, (_, index) => event("custom:many", {}, `model ${String(index).padStart(3, "0")}`)),
  ];
  await house.client(tokens.sdk).send("POST", "/events/v1/apps/shop/app-events", { events });
});
test.after(async () => {
  await house.stop();
  await directory.remove();
});

let files = 0;
async function fileOf(content: unknown): Promise<string> {
  files += 1;
  const path = join(directory.path, `query-${files}.json`);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command where no terminal is. */
async function run(content: unknown, ...words: readonly string[]): Promise<Ended> {
  const file = await fileOf(content);
  const env = { ...process.env, DATA_DIR: data, TOUCHLEDGER_TOKEN: tokens.api };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, "report", "run", "--file", file, ...words], { env }, (failure, out, err) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), out, err });
    });
  });
}

const fewRows = { ...query, filters: [{ dimension: "event_category", filterType: "NOT LIKE", values: ["custom:"] }] };
const missingRate = /^EXCHANGE_RATE_MISSING: .*GBP.*\n$/;

test("prints the id of the task", async () => {
  const { code, out, err } = await run(query, "--app", "shop");
  assert.equal([code, err], [0, ""]);
  assert.match(out, new RegExp(`^${uuid}\n$`));
});

test("--wait prints the rows as a table, every digit of them, and what is to be said of them", async () => {
  const { code, out, err } = await run({ ...fewRows, report: "actuals", app: "shop" }, "--wait");
  assert.is(code, 0, err);
  assert.is(
    out,
    [
      "event_category      device_model  app_events  app_revenue",
      "------------------  ------------  ----------  ----------------",
      "app_install         Pixel \uFFFD[2J             1                 0",
      "app_order_complete  Pixel \uFFFD[2J             2  9007199254740993",
      "app_subscribe       Pixel \uFFFD[2J             1                0+",
      "",
    ].join("\n"),
  );
  assert.match(err, missingRate);
});

test("--format csv prints it as the server writes it", async () => {
  const { code, out, err } = await run(
    { ...fewRows, groupBys: ["event_category"] },
    "--app=shop",
    "--wait",
    "--format=csv",
  );
  assert.is(code, 0, err);
  assert.equal(out.split("\r\n"), [
    "event_category,app_events,app_revenue",
    "app_install,1,0",
    "app_order_complete,2,9007199254740993",
    "app_subscribe,1,",
    "",
  ]);
  assert.match(err, missingRate);
});

test("--format json prints each page as it was sent", async () => {
  const { code, out, err } = await run(query, "--app", "shop", "--wait", "--format", "json");
  assert.equal([code, err], [0, ""]);
  const pages = out.trimEnd().split("\n");
  const rows = pages.map((page) => JSON.parse(page).actuals.data.rows.length);
  assert.equal(rows, [100, 4]);
  assert.ok(pages[0]?.includes('"app_revenue":{"value":9007199254740993,'), pages[0]);
});

test("prints every page in a table", async () => {
  const { out } = await run(query, "--app", "shop", "--wait");
  assert.is(out.split("\n").length, 2 + 104 + 1);
  assert.match(out, /^custom:many +model 100 +1 +0$/m);
});

test("ends with 1 and the faults of each field as a table when the query is refused", async () => {
  const faulty = { ...query, groupBys: ["shoe_size"], sorts: [], "\u001b": 1 };
  const { code, out, err } = await run({ ...query, groupBys: ["channel", "shoe_size"], sorts: [] }, "--app", "shop");
  assert.equal([code, err], [1, `${house.run.baseUrl} refused the query with 400.\n`]);
  const fault = "is not a group-by of this report";
  const table = ["field            fault", `---------------  ${"-".repeat(fault.length)}`, `body.groupBys.1  ${fault}`];
  assert.is(out, `${table.join("\n")}\n`);
  assert.match((await run(faulty, "--app", "shop")).out, /^body\.\uFFFD +is not a known field$/m);
});

/** What the command says when it fails, in this process. */
async function failureOf(content: unknown, ...words: readonly string[]): Promise<string> {
  const all = ["run", "--file", await fileOf(content), "--url", house.run.baseUrl, "--token", tokens.api, ...words];
  return reportCommand()
    .parseAsync(all, { from: "user" })
    .then(() => "", String);
}

test("says what is wrong with its file", async () => {
  const app = ["--app", "shop"];
  for (const content of ["", "[]", "null", "{", "7"]) {
    assert.match(await failureOf(content, ...app), /^FileUnusable: .*\.json holds no JSON object\.$/);
  }
  for (const report of ["attribution", "toString", 7]) {
    const none = /asks for no report that there is: actuals, active_users, retention, revenue\.$/;
    assert.match(await failureOf({ ...query, report }, ...app), none);
  }
  assert.match(await failureOf(query), /^FileUnusable: Name the app: give --app, or write "app" into .*\.json\.$/);
  const missing = join(directory.path, "missing.json");
  assert.is(await failureOf(query, ...app, "--file", missing), `FileUnusable: There is no file ${missing}.`);
  const blanks = (bytes: number) => `{}${" ".repeat(bytes - 2)}`;
  assert.match(await failureOf(blanks(1024 * 1024 + 1), ...app), /is larger than any query may be\.$/);
  assert.match(await failureOf(blanks(1024 * 1024), ...app), /^ApiCallFailed: .* refused the query with 400\.$/);
});

test("says when there is no such app", async () => {
  const told = `ApiCallFailed: ${house.run.baseUrl} refused with 404: There is no such app, or this token may not see it.`;
  assert.is(await failureOf(query, "--app", "../no app"), told);
});

/** A task as each report says it (A), and what is to be said of it. */
const inTask = (status: string, notifications: readonly object[]) => ({
  task: { status, taskId: "t-1" },
  notifications,
});
const inData = (status: string, notification: readonly object[]) => ({ data: { status, taskId: "t-1" }, notification });

for (const [report, path, requestedAs, readAs] of [
  ["actuals", "/reports/api/v7/apps/shop/actuals/query", inTask, inTask],
  ["active_users", "/reports/api/v4/apps/shop/active-users/query", inTask, inTask],
  ["retention", "/reports/api/v5/apps/shop/retention/query", inData, inTask],
  ["revenue", "/reports/api/v3/apps/shop/revenue/query", inData, inData],
] as const) {
  test(`ends with 1 and the reason when ${report} has no result`, async () => {
    const asked: string[] = [];
    let end = readAs("FAILURE", [{ code: "REPORT_TOO_SLOW", message: "Ask for less\u001b[2J." }]);
    const stranger = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end(JSON.stringify(request.method === "POST" ? requestedAs("RUNNING", []) : end));
    });
    stranger.listen(0, "127.0.0.1");
    await once(stranger, "listening");
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const words = ["--app", "shop", "--wait", "--url", url];
    const failed = "ApiCallFailed: Report t-1 ended as FAILURE.\n  Ask for less\uFFFD[2J.";
    assert.is(await failureOf({ ...query, report }, ...words), failed);
    assert.equal(asked, [`POST ${path}`, `GET ${path}/t-1?size=1`]);
    end = readAs("CANCELED", []);
    const canceled = "ApiCallFailed: Report t-1 ended as CANCELED.";
    assert.is(await failureOf({ ...query, report: "none" }, ...words, "--report", report), canceled);
    stranger.closeAllConnections();
    stranger.close();
  });
}

test.run();
