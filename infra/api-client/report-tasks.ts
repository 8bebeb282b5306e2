import { setTimeout as pause } from "node:timers/promises";
import type { ApiClient } from "./api-client.ts";
import { type ReportKindName, reportKinds, type TaskState } from "./report-kinds.ts";
import type { ReportPages } from "./report-pages.ts";

const pageSize = 100;
const pollPause = 100;
const patience = 90_000;

/** A report that was requested: where it is read, and as what. */
export interface RequestedReport<Kind extends ReportKindName = ReportKindName> {
  readonly kind: Kind;
  readonly path: string;
  readonly taskId: string;
}

export async function requestReport<Kind extends ReportKindName>(
  api: ApiClient,
  kind: Kind,
  app: string,
  query: object,
): Promise<RequestedReport<Kind>> {
  const path = reportKinds[kind].path(encodeURIComponent(app));
  const { taskId } = reportKinds[kind].requested(await api.send("POST", path, query));
  return { kind, path: `${path}/${taskId}`, taskId };
}

/**
 * Reads a report until it has ended; answers its last state. `onWait` is told before every pause.
 * @param waitedMs after so long it is answered as it is
 */
export async function followReport(
  api: ApiClient,
  { kind, path }: RequestedReport,
  onWait: () => void,
  waitedMs: number,
): Promise<TaskState> {
  const deadline = Date.now() + waitedMs;
  for (;;) {
    const state = reportKinds[kind].read(await api.send("GET", `${path}?size=1`));
    if (hasEnded(state) || Date.now() > deadline) return state;
    onWait();
    await pause(pollPause);
  }
}

export function hasEnded({ status }: TaskState): boolean {
  return status !== "RUNNING" && status !== "PENDING";
}

/** Every page of a report that has succeeded, as it was sent. */
export async function* reportPages(api: ApiClient, { kind, path }: RequestedReport): AsyncGenerator<string> {
  for (let skip = 0, hasNext = true; hasNext; skip += pageSize) {
    const sent = await api.read(`${path}?skip=${skip}&size=${pageSize}&viewFormat=true`);
    yield sent;
    hasNext = reportKinds[kind].read(JSON.parse(sent)).hasNext;
  }
}

/** Requests a report and waits for it; answers its pages once it is `SUCCESS`. Throws when it ends otherwise. */
export async function runReport<Kind extends ReportKindName>(
  api: ApiClient,
  kind: Kind,
  app: string,
  query: object,
): Promise<{ readonly taskId: string; readonly pages: readonly ReportPages[Kind][] }> {
  const requested = await requestReport(api, kind, app, query);
  const state = await followReport(api, requested, () => {}, patience);
  if (!hasEnded(state)) throw new Error(`The report is still ${state.status} after ${patience / 1000} s`);
  if (state.status !== "SUCCESS") throw new Error(`The report ended as ${state.status}`);
  const pages: ReportPages[Kind][] = [];
  for await (const sent of reportPages(api, requested)) pages.push(JSON.parse(sent));
  return { taskId: requested.taskId, pages };
}
