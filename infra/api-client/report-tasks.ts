import { setTimeout as pause } from "node:timers/promises";
import type { ReportKind } from "../../domain/report-tasks/events.ts";
import { reportModules } from "../composition/report-modules.ts";
import type { TaskMember } from "../http/routing/report-endpoint.ts";
import type { ApiClient } from "./api-client.ts";

const pageSize = 100;
const pollMs = 100;
const maxWaitMs = 90_000;

/** A task that was requested, and where it is read. */
export interface RequestedTask {
  readonly kind: ReportKind;
  readonly path: string;
  readonly taskId: string;
}

/** The members that the responses of all reports have for their task. */
export interface TaskState {
  readonly taskId: string;
  readonly status: string;
  readonly hasNext: boolean;
  readonly notifications: readonly { readonly code: string; readonly message: string }[];
}

/** The path of a kind's POST for an app. */
export function reportPath(kind: ReportKind, app: string): string {
  return reportModules[kind].path.replace(":app_name", encodeURIComponent(app));
}

/** Requests a report; `query` is the body of its POST. */
export async function requestReport(
  api: ApiClient,
  kind: ReportKind,
  app: string,
  query: object,
): Promise<RequestedTask> {
  const path = reportPath(kind, app);
  const { taskId } = taskIn(reportModules[kind].taskMember.post, await api.send("POST", path, query));
  return { kind, path: `${path}/${taskId}`, taskId };
}

/** The state of a task in a response of its GET. */
export function taskStateIn(kind: ReportKind, response: unknown): TaskState {
  return taskIn(reportModules[kind].taskMember.get, response);
}

type Notifications = TaskState["notifications"];
type Task = Pick<TaskState, "taskId" | "status">;

function taskIn(member: TaskMember, response: unknown): TaskState {
  if (member === "task") {
    const { task, pagination, notifications } = response as {
      readonly task: Task;
      readonly pagination?: { readonly hasNext: boolean };
      readonly notifications?: Notifications;
    };
    return { ...task, hasNext: pagination?.hasNext === true, notifications: notifications ?? [] };
  }
  const { data, notification } = response as {
    readonly data: Task & { readonly hasNext?: boolean };
    readonly notification?: Notifications;
  };
  return { ...data, hasNext: data.hasNext === true, notifications: notification ?? [] };
}

/**
 * Reads a task until it has ended, and returns its last state. Calls `onWait` before every pause.
 * @param waitMs after this time the state is returned as it is
 */
export async function followReport(
  api: ApiClient,
  { kind, path }: RequestedTask,
  onWait: () => void,
  waitMs: number,
): Promise<TaskState> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const state = taskStateIn(kind, await api.send("GET", `${path}?size=1`));
    if (hasEnded(state) || Date.now() > deadline) return state;
    onWait();
    await pause(pollMs);
  }
}

export function hasEnded({ status }: TaskState): boolean {
  return status !== "RUNNING" && status !== "PENDING";
}

/** The JSON text of every page of a report that has succeeded. */
export async function* reportPages(api: ApiClient, { kind, path }: RequestedTask): AsyncGenerator<string> {
  for (let skip = 0, hasNext = true; hasNext; skip += pageSize) {
    const page = await api.read(`${path}?skip=${skip}&size=${pageSize}&viewFormat=true`);
    yield page;
    hasNext = taskStateIn(kind, JSON.parse(page)).hasNext;
  }
}

/** Requests a report, waits for it and returns its pages. Throws when it does not succeed. */
export async function runReport<Page>(
  api: ApiClient,
  kind: ReportKind,
  app: string,
  query: object,
): Promise<{ readonly taskId: string; readonly pages: readonly Page[] }> {
  const task = await requestReport(api, kind, app, query);
  const state = await followReport(api, task, () => {}, maxWaitMs);
  if (!hasEnded(state)) throw new Error(`The report is still ${state.status} after ${maxWaitMs / 1000} s`);
  if (state.status !== "SUCCESS") throw new Error(`The report ended as ${state.status}`);
  const pages: Page[] = [];
  for await (const page of reportPages(api, task)) pages.push(JSON.parse(page));
  return { taskId: task.taskId, pages };
}
