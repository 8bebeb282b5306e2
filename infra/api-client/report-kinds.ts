/** What the answers of all reports say of their task, wherever they say it. */
export interface TaskState {
  readonly taskId: string;
  readonly status: string;
  readonly hasNext: boolean;
  readonly notifications: readonly { readonly code: string; readonly message: string }[];
}

/** How one kind of report is called (contract/reports.md#tasks). */
interface CalledReport {
  /** Where it is requested in an app; its tasks stand one segment below. */
  readonly path: (app: string) => string;
  /** Where the answer of the POST names the task. */
  readonly requested: (answer: unknown) => Pick<TaskState, "taskId">;
  /** Where a page says how the task is, and whether there is another page. */
  readonly read: (page: unknown) => TaskState;
}

/** Every report by its name. */
export const reportKinds = {
  actuals: { path: (app) => `/reports/api/v7/apps/${app}/actuals/query`, requested: inTask, read: inTask },
  active_users: { path: (app) => `/reports/api/v4/apps/${app}/active-users/query`, requested: inTask, read: inTask },
  retention: { path: (app) => `/reports/api/v5/apps/${app}/retention/query`, requested: inData, read: inTask },
  revenue: { path: (app) => `/reports/api/v3/apps/${app}/revenue/query`, requested: inData, read: inData },
} as const satisfies { readonly [kind: string]: CalledReport };

export type ReportKindName = keyof typeof reportKinds;

export function isReportKind(name: unknown): name is ReportKindName {
  return typeof name === "string" && Object.hasOwn(reportKinds, name);
}

function inTask(answer: unknown): TaskState {
  const { task, pagination, notifications } = answer as {
    readonly task: Pick<TaskState, "taskId" | "status">;
    readonly pagination?: { readonly hasNext: boolean };
    readonly notifications?: TaskState["notifications"];
  };
  const { taskId, status } = task;
  return { taskId, status, hasNext: pagination?.hasNext === true, notifications: notifications ?? [] };
}

function inData(answer: unknown): TaskState {
  const { data, notification } = answer as {
    readonly data: Pick<TaskState, "taskId" | "status"> & { readonly hasNext?: boolean };
    readonly notification?: TaskState["notifications"];
  };
  const { taskId, status, hasNext } = data;
  return { taskId, status, hasNext: hasNext === true, notifications: notification ?? [] };
}
