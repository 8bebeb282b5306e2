import { setTimeout as pause } from "node:timers/promises";
import type { ReportPage } from "../../client/index.ts";
import { followReport, requestReport } from "../../client/index.ts";
import { isUndecodable } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import { recordedEvents } from "../scenarios/separate-store.ts";
import { runProgram } from "../support/command-line.ts";
import { restoredBackups } from "./backups.ts";
import type { Evidence } from "./verdict.ts";
import { app, type World } from "./world.ts";

const timeoutMs = 60_000;
const reportMs = 60_000;

/** A report as it was answered. */
export interface SavedReport {
  readonly text: string;
  readonly asOf: string;
}

/** The report of everything failed: no fault may do that. */
export class ReportFailed extends Error {
  override readonly name = "ReportFailed";
}

/** The clicks and installs of all channels, as of a position or now, from one of the processes. */
export async function saveReport(
  { nodes, tokens }: World,
  { asOf, node = 0, retryMs = timeoutMs }: { asOf?: string; node?: number; retryMs?: number } = {},
): Promise<SavedReport> {
  const owner = nodes[node % nodes.length]?.application.client(tokens.api, retryMs);
  if (owner === undefined) throw new Error("There is no process.");
  const today = localDate("Asia/Seoul", Date.now());
  const query = {
    ...{ from: addDays(today, -1), to: today, groupBys: ["channel"], metrics: ["clicks", "app_installs"] },
    ...{ filters: [], sorts: [], ...(asOf === undefined ? {} : { asOf }) },
  };
  const task = await requestReport(owner, "actuals", app, query);
  const { status } = await followReport(owner, task, () => undefined, reportMs);
  if (status !== "SUCCESS") throw new ReportFailed(`A report is ${status}.`);
  const text = await owner.read(task.path);
  const page = JSON.parse(text) as ReportPage<"actuals">;
  return { text: text.replace(/"(taskId|endedAt)":"[^"]+"/g, '"$1":'), asOf: page.task.asOfPosition };
}

/** What is left once all faults have ended; waits until the log has what was acknowledged, or time is up. */
export async function gatherEvidence(world: World, saved: readonly SavedReport[]): Promise<Evidence> {
  const log = await wholeLog(world);
  const counted = totalsOf(await saveReport(world));
  const reports: { asOf: string; saved: string; again: string }[] = [];
  for (const { asOf, text } of saved) {
    reports.push({ asOf, saved: text, again: (await saveReport(world, { asOf })).text });
  }
  const environment = { DATA_DIR: world.nodes[0]?.data ?? "" };
  const verify = await runProgram(["verify"], environment);
  const parked = await runProgram(["projection", "parked"], environment);
  const outputs = world.nodes.flatMap(({ application, outputs: former }) => [...former, application.output()]);
  return {
    ...{ ...world.seen, ...idsOf(log), counted, reports, verify, outputs, breaches: world.breaches },
    poisoned: new Set(log.filter(({ id }) => world.poison.has(id)).map(({ position }) => String(position.commit))),
    parked: new Set([...parked.out.matchAll(/^[\w_]+ +(\d+) /gm)].map(([, position = ""]) => position)),
    backups: await restoredBackups(world),
  };
}

/** The log, once it has all clicks that were acknowledged or time is up: spooled ones come late. */
async function wholeLog({ store, seen: { clicks } }: World): Promise<readonly RecordedEvent[]> {
  for (const deadline = Date.now() + timeoutMs; ; ) {
    const events = await recordedEvents(store);
    const found = new Set(idsOf(events).loggedClicks);
    if (Date.now() > deadline || [...clicks].every((id) => found.has(id))) return events;
    await pause(500);
  }
}

function idsOf(events: readonly RecordedEvent[]): Pick<Evidence, "log" | "loggedClicks" | "loggedEvents"> {
  const [loggedClicks, loggedEvents] = [[] as string[], new Set<string>()];
  for (const event of events) {
    if (isUndecodable(event.data)) continue;
    if (event.type === "ClickRecorded") loggedClicks.push(event.data.touchpointId);
    if (event.type === "AppEventRecorded") loggedEvents.add(event.data.eventId);
  }
  return { log: events.map(({ id }) => id), loggedClicks, loggedEvents };
}

function totalsOf({ text }: SavedReport): { readonly clicks: number; readonly installs: number } {
  const { rows } = (JSON.parse(text.replace(/"(taskId|endedAt)":/g, '"$1":""')) as ReportPage<"actuals">).actuals.data;
  const sum = (metric: string): number => rows.reduce((total, { values }) => total + (values[metric]?.value ?? 0), 0);
  return { clicks: sum("clicks"), installs: sum("app_installs") };
}
