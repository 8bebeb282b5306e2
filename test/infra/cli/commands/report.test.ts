// time limit: 300 s
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, localDate, startOfDay } from "../../../../domain/values/local-time.ts";
import { reportCommand } from "../../../../infra/cli/commands/report.ts";
import { registerApp } from "../../../support/application-process.ts";
import { type CommandOutput, type Ended, runCommand, runProgram } from "../../../support/command-line.ts";
import { runShop } from "../../../support/running-shop.ts";

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

const { application, tokens, directory, data, end } = await runShop();
const test = suite("touchledger report run");
test.before(async () => {
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
    ...Array.from({ length: 101 }, (_, index) => event("custom:many", {}, `=model ${String(index).padStart(3, "0")}`)),
  ];
  await application.client(tokens.sdk).send("POST", "/events/v1/apps/shop/app-events", { events });
});
test.after(end);

let files = 0;
async function fileOf(content: unknown): Promise<string> {
  files += 1;
  const path = join(directory, `query-${files}.json`);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** Runs the command in this process. */
async function run(content: unknown, ...words: readonly string[]): Promise<CommandOutput> {
  const connection = ["--url", application.run.baseUrl, "--token", tokens.api];
  return runCommand(reportCommand(), ["run", "--file", await fileOf(content), ...connection, ...words]);
}

/** Runs `touchledger`, which takes the connection from its environment. */
async function runAsProgram(content: unknown, ...words: readonly string[]): Promise<Ended> {
  const environment = { DATA_DIR: data, TOUCHLEDGER_TOKEN: tokens.api };
  return runProgram(["report", "run", "--file", await fileOf(content), ...words], environment);
}

const fewRows = { ...query, filters: [{ dimension: "event_category", filterType: "NOT LIKE", values: ["custom:"] }] };
const missingRate = /^EXCHANGE_RATE_MISSING: .*GBP.*\n?$/;

test("prints the id of the task", async () => {
  const { code, out, err } = await runAsProgram(query, "--app", "shop");
  assert.equal([code, err], [0, ""]);
  assert.match(out, new RegExp(`^${uuid}\n$`));
});

test("--file - reads the query from standard input", async () => {
  const words = ["report", "run", "--file", "-", "--app", "shop"];
  const environment = { DATA_DIR: data, TOUCHLEDGER_TOKEN: tokens.api };
  const { code, out, err } = await runProgram(words, environment, JSON.stringify(query));
  assert.equal([code, err], [0, ""]);
  assert.match(out, new RegExp(`^${uuid}\n$`));
  const refused = { code: 1, out: "", err: "Standard input holds no JSON object.\n" };
  assert.equal(await runProgram(words, environment, "[]"), refused);
  const tooLong = { code: 1, out: "", err: "Standard input is larger than any query may be.\n" };
  assert.equal(await runProgram(words, environment, " ".repeat(1_048_577)), tooLong);
});

test("--wait prints the rows as a table, with every digit, and the notifications", async () => {
  const { failure, out, err } = await run({ ...fewRows, report: "actuals", app: "shop" }, "--wait");
  assert.is(failure, "");
  assert.is(
    out,
    [
      "event_category      device_model  app_events  app_revenue",
      "------------------  ------------  ----------  ----------------",
      "app_install         Pixel \uFFFD[2J             1                 0",
      "app_order_complete  Pixel \uFFFD[2J             2  9007199254740993",
      "app_subscribe       Pixel \uFFFD[2J             1                0+",
    ].join("\n"),
  );
  assert.match(err, missingRate);
});

test("aligns group-bys as texts, also those of digits alone", async () => {
  const { out } = await run(
    { ...fewRows, groupBys: ["event_year"], sorts: [], report: "actuals", app: "shop" },
    "--wait",
  );
  assert.match(out, /^\d{4} {8}/m);
});

test("--format csv prints it as the server writes it", async () => {
  const { code, out, err } = await runAsProgram(
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
  const { failure, out, err } = await run(query, "--app", "shop", "--wait", "--format", "json");
  assert.equal([failure, err], ["", ""]);
  const pages = out.split("\n");
  const rows = pages.map((page) => JSON.parse(page).actuals.data.rows.length);
  assert.equal(rows, [100, 4]);
  assert.ok(pages[0]?.includes('"app_revenue":{"value":9007199254740993,'), pages[0]);
});

test("prints every page in a table", async () => {
  const { out } = await run(query, "--app", "shop", "--wait");
  assert.is(out.split("\n").length, 2 + 104);
  assert.match(out, /^custom:many +=model 100 +1 +0$/m);
});

const midday = new Date().getUTCHours() < 12 ? "Asia/Seoul" : "America/Los_Angeles";
const thisDay = localDate(midday, Date.now());
const yesterday = addDays(thisDay, -1);
const [noon, midnight] = [startOfDay(midday, yesterday) + 12 * 3_600_000, startOfDay(midday, thisDay)];
const event = (category: string, id: string, eventTimestamp: number, more: object = {}) => {
  return { eventId: randomUUID(), eventTimestamp, category, device: { id }, ...more };
};
/** Apps whose midnight is not near, by name, with their events. */
const eventsOf = {
  club: [
    event("app_install", "phone-1", noon),
    event("app_order_complete", "phone-1", noon + 1, { value: 10.5 }),
    event("app_order_complete", "phone-1", midnight, { value: 5 }),
  ],
  trio: [
    ...["phone-1", "phone-2", "phone-3"].map((id) => event("app_install", id, noon)),
    event("app_order_complete", "phone-1", noon + 1, { value: 10 }),
    event("app_order_complete", "phone-1", midnight, { value: 5.5 }),
    // There is no rate for this currency.
    event("app_order_complete", "phone-2", midnight, { value: 7, currency: "GBP" }),
  ],
};
type Club = keyof typeof eventsOf;
const tokenOf = new Map<Club, string>();

/** Runs one of the reports on an app, dates and the offset of the time zone replaced. */
async function runOn(app: Club, query: object, ...words: readonly string[]): Promise<{ out: string; err: string }> {
  if (!tokenOf.has(app)) {
    const settings = { name: app, timezone: midday, currency: "USD", ownerEmail: `owner@${app}.example` };
    const { sdk, api } = await registerApp(application.operator, settings);
    const events = { events: eventsOf[app] };
    await application.client(sdk).send("POST", `/events/v1/apps/${app}/app-events`, events);
    tokenOf.set(app, api);
  }
  const range = { from: yesterday, to: thisDay, granularity: "day", groupBy: { fields: ["channel"] }, filters: [] };
  const runReport = words.includes("--format=csv") ? runAsProgram : run;
  const body = { app, ...range, ...query };
  const { out, err, ...end } = await runReport(body, ...words, "--wait", "--token", tokenOf.get(app) ?? "");
  assert.equal(end, "code" in end ? { code: 0 } : { failure: "" });
  const replaced = [yesterday, thisDay, addDays(thisDay, 1)]
    .reduce((text, date, index) => text.replaceAll(date, `YYYY-MM-D${index + 1}`), out)
    .replaceAll(/[+-]\d\d:00\b/g, "+hh:00");
  return { out: replaced, err };
}

async function runOnClub(query: object, ...words: readonly string[]): Promise<string> {
  const { out, err } = await runOn("club", query, ...words);
  assert.is(err, "");
  return out;
}

const retention = {
  startEvent: ["app_installs"],
  returnEvents: ["app_order_complete"],
  measurementOption: "general_retention",
  sorts: [],
};
const revenue = {
  report: "revenue",
  startEvents: ["app_install"],
  returnEvents: ["app_order_complete"],
  metric: "app_revenue",
  aggregationType: "cumulative",
  sorts: [],
};

test("prints active users, retention and revenue as tables, too", async () => {
  assert.equal((await runOnClub({ report: "active_users", metrics: ["app_au", "app_arppu"] })).split("\n"), [
    "channel       date                                                         app_au  app_arppu",
    "------------  -----------------------------------------------------------  ------  ---------",
    "unattributed  YYYY-MM-D1T00:00:00.000+hh:00/YYYY-MM-D2T00:00:00.000+hh:00       1       10.5",
    "unattributed  YYYY-MM-D2T00:00:00.000+hh:00/YYYY-MM-D3T00:00:00.000+hh:00       1          5",
  ]);
  assert.equal((await runOnClub({ ...retention }, "--report", "retention")).split("\n"), [
    "channel       date        startUsers  value_0  rate_0  value_1  rate_1",
    "------------  ----------  ----------  -------  ------  -------  ------",
    "unattributed                       1        1       1        1       1",
    "unattributed  YYYY-MM-D1           1        1       1        1       1",
  ]);
  assert.equal((await runOnClub(revenue)).split("\n"), [
    "channel       date        totalUniqueUsers  totalRevenue  totalCost  day_0  day_1",
    "------------  ----------  ----------------  ------------  ---------  -----  -----",
    "unattributed                             1          15.5              10.5   15.5",
    "unattributed  YYYY-MM-D1                 1          15.5              10.5   15.5",
  ]);
});

test("prints them as CSV, and each page as it was sent", async () => {
  assert.equal((await runOnClub({ ...revenue, aggregationType: "on-day" }, "--format=csv")).split("\r\n"), [
    "channel,date,totalUniqueUsers,totalRevenue,totalCost,day_0,day_1",
    "unattributed,,1,15.5,,10.5,5",
    "unattributed,YYYY-MM-D1,1,15.5,,10.5,5",
    "",
  ]);
  const pages = (await runOnClub(revenue, "--format=json")).trimEnd().split("\n");
  const ofData = pages.map((page) => JSON.parse(page).data);
  assert.equal(
    ofData.map(({ status, hasNext, metadata }) => ({ status, hasNext, metadata })),
    [{ status: "SUCCESS", hasNext: false, metadata: { totalCount: 1 } }],
  );
});

test("rounds ratios in tables only, and marks masked lower bounds in them", async () => {
  const runOnTrio = async (query: object, ...words: readonly string[]) =>
    (await runOn("trio", { groupBy: { fields: [] }, ...query }, ...words)).out;
  assert.equal((await runOnTrio({ ...retention }, "--report", "retention")).split("\n"), [
    "date        startUsers  value_0  rate_0  value_1  rate_1",
    "----------  ----------  -------  ------  -------  ------",
    "                     3        1  0.3333        2  0.6667",
    "YYYY-MM-D1           3        1  0.3333        2  0.6667",
  ]);
  assert.equal((await runOnTrio(revenue)).split("\n"), [
    "date        totalUniqueUsers  totalRevenue  totalCost  day_0  day_1",
    "----------  ----------------  ------------  ---------  -----  -----",
    "                           3         15.5+                10  15.5+",
    "YYYY-MM-D1                 3         15.5+                10  15.5+",
  ]);
  assert.equal((await runOnTrio({ ...revenue, metric: "app_arpu" })).split("\n"), [
    "date        totalUniqueUsers  totalRevenue  totalCost  day_0  day_1",
    "----------  ----------------  ------------  ---------  -----  -----",
    "                           3         15.5+              3.33  5.17+",
    "YYYY-MM-D1                 3         15.5+              3.33  5.17+",
  ]);
  const activeUsers = { report: "active_users", metrics: ["app_au", "app_revenue", "app_arpu"] };
  assert.match(await runOnTrio(activeUsers), /^YYYY\S+ +3 +10 +3\.33\n\S+ +2 +5\.5 +2\.75$/m);
  assert.match(await runOnTrio({ ...retention, report: "retention" }, "--format=csv"), /^,3,1,0\.3333333333333333,/m);
  assert.match(await runOnTrio({ ...revenue, metric: "app_arpu" }, "--format=csv"), /^,3,15\.5,,3\.3333333333333335,/m);
});

test("ends with 1 and the faults of each field as a table when the query is refused", async () => {
  const faulty = { ...query, groupBys: ["shoe_size"], sorts: [], "\u001b": 1 };
  const ended = await runAsProgram({ ...query, groupBys: ["channel", "shoe_size"], sorts: [] }, "--app", "shop");
  const fault = "is not a group-by of this report: shoe_size; see the report's fields below /dataspec/v2/apps/<app>";
  const table = ["field            fault", `---------------  ${"-".repeat(fault.length)}`, `body.groupBys.1  ${fault}`];
  const err = `${application.run.baseUrl} refused with 400.\n`;
  assert.equal(ended, { code: 1, out: `${table.join("\n")}\n`, err });
  assert.match((await run(faulty, "--app", "shop")).out, /^body\.\uFFFD +is not a known field: \uFFFD; /m);
});

test("fails when there is no such app", async () => {
  const { failure } = await run(query, "--app", "../no app");
  assert.ok(failure.startsWith(`ApiCallFailed: ${application.run.baseUrl} refused with 404: `), failure);
});

test.run();
