import { type ApiClient, required, type Sent } from "./client.ts";
import { pause } from "./retries.ts";
import { type paths, reportPaths } from "./schema.ts";

export type ReportKind = keyof typeof reportPaths;

/** The body that requests a kind of report. */
export type ReportQuery<Kind extends ReportKind> = Sent<
  paths[(typeof reportPaths)[Kind]]["post"]["requestBody"]["content"]["application/json"]
>;

/** A page of a kind of report. */
export type ReportPage<Kind extends ReportKind> = Extract<
  paths[`${(typeof reportPaths)[Kind]}/{task_id}`]["get"]["responses"][200]["content"]["application/json"],
  { readonly pagination: unknown } | { readonly data: { readonly stats: unknown } }
>;

/** A task that was requested, and where it is read. */
export interface RequestedTask {
  readonly kind: ReportKind;
  readonly path: string;
  readonly taskId: string;
}

/** The part about the task that responses of all reports share. */
export interface TaskState {
  readonly taskId: string;
  readonly status: string;
  readonly hasNext: boolean;
  readonly notifications: readonly { readonly code: string; readonly message: string }[];
}

const pageSize = 100;
const pollMs = 100;
/** A result can take up to 5 minutes (contract/reports.md#revenue). */
const maxWaitMs = 330_000;

/** The path of a kind's POST for an app. */
export function reportPath(kind: ReportKind, app: string): string {
  return reportPaths[kind].replace("{app_name}", encodeURIComponent(app));
}

/** Requests a report. @throws {SyntaxError} when another server responds */
export async function requestReport<Kind extends ReportKind>(
  client: ApiClient,
  kind: Kind,
  app: string,
  query: ReportQuery<Kind>,
): Promise<RequestedTask> {
  // The kinds differ only in their bodies.
  const path = reportPaths[kind] as (typeof reportPaths)["actuals"];
  const result = await client.POST(path, { params: { path: { app_name: app } }, body: query as never });
  const { taskId } = taskStateIn(required(result));
  if (taskId === "") throw new SyntaxError("The response has no taskId");
  return { kind, path: `${reportPath(kind, app)}/${taskId}`, taskId };
}

/** The state of a task in a response: for revenue in `data`, for other kinds in `task`. */
export function taskStateIn(body: unknown): TaskState {
  const { task, data, pagination, notifications, notification } = (body ?? {}) as {
    readonly task?: Pick<TaskState, "taskId" | "status">;
    readonly data?: Pick<TaskState, "taskId" | "status"> & { readonly hasNext?: boolean };
    readonly pagination?: { readonly hasNext: boolean };
    readonly notifications?: TaskState["notifications"];
    readonly notification?: TaskState["notifications"];
  };
  const { taskId = "", status = "" } = task ?? data ?? {};
  const hasNext = pagination?.hasNext ?? data?.hasNext ?? false;
  return { taskId, status, hasNext, notifications: notifications ?? notification ?? [] };
}

/**
 * Reads a task until it has ended, and returns its last state. Calls `onWait` before every pause.
 * @param waitMs after this time the current state is returned
 * @throws {SyntaxError} when another server responds
 */
export async function followReport(
  client: ApiClient,
  { path }: RequestedTask,
  onWait: () => void = () => {},
  waitMs = maxWaitMs,
): Promise<TaskState> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const state = taskStateIn(await (await client.call("GET", `${path}?size=1`)).json());
    if (state.status === "") throw new SyntaxError("The response has no status");
    if (hasEnded(state) || performance.now() > deadline) return state;
    onWait();
    await pause(pollMs, client.signal);
  }
}

export function hasEnded({ status }: TaskState): boolean {
  return status !== "RUNNING" && status !== "PENDING";
}

/** The JSON text of every page of a report that has succeeded: numbers have every digit. */
export async function* reportPages(client: ApiClient, { path }: RequestedTask): AsyncGenerator<string> {
  for (let skip = 0, hasNext = true; hasNext; skip += pageSize) {
    const query = `?skip=${skip}&size=${pageSize}&viewFormat=true`;
    const page = await (await client.call("GET", `${path}${query}`)).text();
    yield page;
    hasNext = taskStateIn(JSON.parse(page)).hasNext;
  }
}

/** Requests a report, waits for it and returns its pages. @throws {Error} when it does not succeed */
export async function runReport<Kind extends ReportKind>(
  client: ApiClient,
  kind: Kind,
  app: string,
  query: ReportQuery<Kind>,
): Promise<{ readonly taskId: string; readonly pages: readonly ReportPage<Kind>[] }> {
  const task = await requestReport(client, kind, app, query);
  const state = await followReport(client, task);
  if (!hasEnded(state)) throw new Error(`Report ${task.taskId} is still ${state.status} after ${maxWaitMs / 1000} s`);
  if (state.status !== "SUCCESS") throw new Error(`Report ${task.taskId} ended as ${state.status}`);
  const pages: ReportPage<Kind>[] = [];
  for await (const page of reportPages(client, task)) pages.push(JSON.parse(page));
  return { taskId: task.taskId, pages };
}
