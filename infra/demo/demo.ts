import { type ApiClient, createClient, required, runReport, type SentFile, uploadFile } from "../../client/index.ts";
import type { UploadKind } from "../../domain/uploads/events.ts";
import { minuteMs } from "../../domain/values/instants.ts";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import { countBars } from "../cli/progress-bars.ts";
import type { RunFile } from "../data-directory/run-file.ts";
import { differences } from "./ground-truth.ts";
import { predict } from "./prediction.ts";
import { demoQuery, reportedRows, reportTable } from "./report-query.ts";
import { createLinks, makeVisits, type Progress, pushAppEvents, pushTouchpoints } from "./send-traffic.ts";
import { simulateFiles, storeVisits } from "./simulated-files.ts";
import { type Simulation, simulate } from "./simulation.ts";

const days = 30;
const printedDays = 7;
const midnightMargin = 10 * minuteMs;
const retryMs = 10_000;

export interface DemoOptions {
  readonly seed: number;
  readonly devices: number;
  readonly visits: number;
  /** Whether to print every row of the report, not the last week alone. */
  readonly allRows: boolean;
  /** Whether the instance ends afterwards, so that there is nothing to try. */
  readonly exit: boolean;
}

/** Whether the report agrees with the simulation in every cell. */
export interface DemoOutcome {
  readonly agrees: boolean;
}

/**
 * Pushes a month of simulated advertising through the public HTTP API of a running Touchledger, requests the actuals
 * report and compares it with the counts of the simulation.
 */
export async function runDemo(run: RunFile, options: DemoOptions, print: (line: string) => void): Promise<DemoOutcome> {
  const since = performance.now();
  const app = { name: "demo_shop", timezone: quietTimezone(), currency: "USD", ownerEmail: "owner@shop.example" };
  const simulation = simulate({ ...options, now: Date.now(), timezone: app.timezone, days });
  const operator = createClient({ baseUrl: run.operationsUrl, token: run.adminToken, retryMs });
  const { data } = required(await operator.POST("/admin/v1/apps", { body: app }));
  const owner = createClient({ baseUrl: run.apiUrl, token: data.tokens.api, retryMs });
  print(`Registered app ${app.name}, days of ${app.timezone}.\n`);

  const links = await withBars(simulation, async (progress) => {
    const created = await createLinks(owner, simulation.links, progress);
    await pushTouchpoints(owner, app.name, simulation.touchpoints, created, progress);
    await pushAppEvents(owner, app.name, simulation.appEvents, progress);
    await makeVisits(owner, app, simulation, created, progress);
    return created;
  });
  print("");
  print(`  ${simulation.touchpoints.length} touchpoints of the past were back-filled, in batches of 500.`);
  print(`  ${simulation.visits.length} more clicks followed real redirects, such as ${links[0]?.shortUrl}`);
  print(`  ${simulation.appEvents.length} app events were sent, 1 % of them twice, as phones do.\n`);

  const today = localDate(app.timezone, Date.now());
  const files = simulateFiles({ seed: options.seed, today, days }, simulation.links, simulation.truth);
  await upload(owner, "ad_spend", { name: "ad-spend.csv", content: files.adSpend }, print);
  await upload(owner, "metric", { name: "store-visits.csv", content: files.metric }, print);
  print("");

  const query = demoQuery(addDays(today, -days), today, [storeVisits]);
  const { taskId, pages } = await runReport(owner, "actuals", app.name, query);
  const rows = reportedRows(pages);
  const printedFrom = addDays(today, 1 - printedDays);
  const printed = options.allRows ? rows : rows.filter(({ date }) => date >= printedFrom);
  print(`Actuals report ${taskId}: SUCCESS at log position ${pages[0]?.task.asOfPosition}`);
  if (printed.length < rows.length) print(`The last ${printedDays} of ${days + 1} days (--all-rows prints the rest):`);
  print(`\n${reportTable(printed)}\n`);

  const faults = differences(simulation.truth.rows(), rows);
  for (const fault of faults) print(`  DIFFERS  ${fault}`);
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  print(
    faults.length === 0
      ? `All ${rows.length} rows equal the counts of the simulation: every click, visit and cent. (${seconds} s)`
      : `${faults.length} rows differ from the counts of the simulation.`,
  );
  if (faults.length > 0) return { agrees: false };
  const newest = simulation.appEvents.findLast(({ category }) => category === "app_install")?.device.id;
  if (newest !== undefined)
    await predict({ run, app: app.name, sdkToken: data.tokens.sdk }, operator, options.seed, newest, print);
  if (!options.exit) printNextSteps(run, app.name, data.tokens, links[0]?.shortUrl ?? "", taskId, print);
  return { agrees: true };
}

/** Uploads a file and prints the statuses that were observed. */
async function upload(
  owner: ApiClient,
  kind: UploadKind,
  file: SentFile,
  print: (line: string) => void,
): Promise<void> {
  const seen = new Set<string>();
  const { requestId, status, reason } = await uploadFile(owner, kind, file, {
    onStatus: (record) => seen.add(record.status),
  });
  if (status !== "succeeded") throw new Error(`${file.name} has ${status}: ${reason}`);
  print(`  ${file.name} was uploaded as request ${requestId}: ${[...seen].join(", ")}`);
}

interface Tokens {
  readonly api: string;
  readonly link: string;
  readonly sdk: string;
  readonly web: string;
}

function printNextSteps(
  run: RunFile,
  appName: string,
  tokens: Tokens,
  shortUrl: string,
  taskId: string,
  print: (line: string) => void,
): void {
  const reports = `${run.baseUrl}/reports/api/v7/apps/${appName}/actuals/query`;
  print(`
API           ${run.baseUrl}
Owner token   ${tokens.api}
SDK token     ${tokens.sdk}
Admin token   ${run.adminToken}

Try it:
  curl -i '${shortUrl}'
  curl -H 'Authorization: Bearer ${tokens.api}' '${reports}/${taskId}?size=3'
  curl -H 'Authorization: Bearer ${run.adminToken}' '${run.operationsUrl}/admin/v1/apps/${appName}'`);
}

/** A time zone in which it is not about midnight, so that the visits of the demo have one date. */
function quietTimezone(): string {
  const now = Date.now();
  const isQuiet = (timezone: string): boolean =>
    localDate(timezone, now - midnightMargin) === localDate(timezone, now + midnightMargin);
  return isQuiet("Asia/Seoul") ? "Asia/Seoul" : "America/New_York";
}

async function withBars<Result>(
  simulation: Simulation,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const bars = countBars({
    links: simulation.links.length,
    touchpoints: simulation.touchpoints.length,
    "app events": simulation.appEvents.length,
    visits: simulation.visits.length,
  });
  try {
    return await work(bars.show);
  } finally {
    bars.stop();
  }
}
