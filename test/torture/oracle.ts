import { setTimeout as pause } from "node:timers/promises";
import type { ReportPage } from "../../client/index.ts";
import { followReport, requestReport } from "../../client/index.ts";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import { recordedClicks } from "../scenarios/separate-store.ts";
import { runProgram } from "../support/command-line.ts";
import type { Acknowledged } from "./load.ts";
import { app, type World } from "./world.ts";

const patienceMs = 60_000;
const reportMs = 60_000;

/** A report as it was answered. */
export interface SavedReport {
  readonly text: string;
  readonly asOf: string;
}

/** The clicks and installs of all channels, as of a position or now. */
export async function saveReport({ nodes, tokens }: World, asOf?: string): Promise<SavedReport> {
  const owner = nodes[0]?.application.client(tokens.api, patienceMs);
  if (owner === undefined) throw new Error("There is no process.");
  const today = localDate("Asia/Seoul", Date.now());
  const query = {
    ...{ from: addDays(today, -1), to: today, groupBys: ["channel"], metrics: ["clicks", "app_installs"] },
    ...{ filters: [], sorts: [], ...(asOf === undefined ? {} : { asOf }) },
  };
  const task = await requestReport(owner, "actuals", app, query);
  const { status } = await followReport(owner, task, () => undefined, reportMs);
  if (status !== "SUCCESS") throw new Error(`A report is ${status}.`);
  const text = await owner.read(task.path);
  const page = JSON.parse(text) as ReportPage<"actuals">;
  return { text: text.replace(/"(taskId|endedAt)":"[^"]+"/g, '"$1":'), asOf: page.task.asOfPosition };
}

/** What does not hold once all faults have ended; empty when everything does. */
export async function breachesOf(world: World, seen: Acknowledged, saved: SavedReport): Promise<readonly string[]> {
  const breaches: string[] = [];
  const recorded = await allRecorded(world, seen);
  const times = new Map<string, number>();
  for (const id of recorded) times.set(id, (times.get(id) ?? 0) + 1);
  const lost = [...seen.clicks].filter((id) => !times.has(id)).length;
  const doubled = [...times.values()].filter((count) => count > 1).length;
  if (lost > 0 || doubled > 0) breaches.push(`clicks in the log: ${lost} lost, ${doubled} doubled`);

  const { clicks, installs } = totalsOf(await saveReport(world));
  if (clicks !== times.size) breaches.push(`the report counts ${clicks} clicks of ${times.size}`);
  if (times.size > seen.clicks.size + seen.unansweredVisits) breaches.push(`${times.size} clicks of fewer visits`);
  if (installs !== seen.events.size) breaches.push(`the report counts ${installs} installs of ${seen.events.size}`);

  const again = await saveReport(world, saved.asOf);
  if (again.text !== saved.text) breaches.push(`the report as of ${saved.asOf} has changed`);
  const verified = await runProgram(["verify"], { DATA_DIR: world.nodes[0]?.data ?? "" });
  if (verified.code !== 0) breaches.push(`verify: ${verified.out}${verified.err}`);
  for (const { application, outputs } of world.nodes) {
    const uncaught = [...outputs, application.output()].flatMap(
      (text) => text.match(/^.*(uncaught|unhandled).*$/gim) ?? [],
    );
    breaches.push(...uncaught);
  }
  return breaches;
}

/** The clicks in the log, once it has all that were acknowledged or time is up: spooled ones come late. */
async function allRecorded({ store }: World, seen: Acknowledged): Promise<readonly string[]> {
  for (const deadline = Date.now() + patienceMs; ; ) {
    const ids = (await recordedClicks(store)).map(({ touchpointId }) => touchpointId);
    const found = new Set(ids);
    if (Date.now() > deadline || [...seen.clicks].every((id) => found.has(id))) return ids;
    await pause(500);
  }
}

function totalsOf({ text }: SavedReport): { readonly clicks: number; readonly installs: number } {
  const { rows } = (JSON.parse(text.replace(/"(taskId|endedAt)":/g, '"$1":""')) as ReportPage<"actuals">).actuals.data;
  const sum = (metric: string): number => rows.reduce((total, { values }) => total + (values[metric]?.value ?? 0), 0);
  return { clicks: sum("clicks"), installs: sum("app_installs") };
}
