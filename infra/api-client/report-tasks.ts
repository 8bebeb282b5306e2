import { setTimeout as pause } from "node:timers/promises";
import type { ApiClient } from "./api-client.ts";

/** A page of an actuals report (A), every number as the decimal text that was sent. */
export interface ReportPage {
  readonly task: { readonly status: string };
  readonly actuals?: {
    readonly data: {
      readonly rows: readonly {
        readonly groupBys: readonly string[];
        readonly values: {
          readonly [metric: string]: { readonly value: string | null; readonly viewFormat: string | null };
        };
      }[];
    };
  };
  readonly pagination?: { readonly hasNext: boolean };
  readonly notifications?: readonly { readonly code: string; readonly message: string }[];
}

const pageSize = 100;
const pollPause = 200;

/** Requests an actuals report; answers the path that it is read at, and its id. */
export async function requestReport(api: ApiClient, app: string, query: object): Promise<{ path: string; id: string }> {
  const path = `/reports/api/v7/apps/${encodeURIComponent(app)}/actuals/query`;
  const { task } = (await api.send("POST", path, query)) as { task: { taskId: string } };
  return { path: `${path}/${task.taskId}`, id: task.taskId };
}

/**
 * Reads a report until it has ended; answers its last state. `onWait` is told before every pause.
 * @param waitedMs after so long it is answered as it is
 */
export async function followReport(
  api: ApiClient,
  path: string,
  onWait: () => void,
  waitedMs: number,
): Promise<ReportPage> {
  const deadline = Date.now() + waitedMs;
  for (;;) {
    const page = withDigits(await api.read(`${path}?size=1`));
    const { status } = page.task;
    if ((status !== "RUNNING" && status !== "PENDING") || Date.now() > deadline) return page;
    onWait();
    await pause(pollPause);
  }
}

/** Every page of a report that has succeeded, as it was sent. */
export async function* reportPages(
  api: ApiClient,
  path: string,
): AsyncGenerator<{ readonly sent: string; readonly page: ReportPage }> {
  for (let skip = 0, hasNext = true; hasNext; skip += pageSize) {
    const sent = await api.read(`${path}?skip=${skip}&size=${pageSize}&viewFormat=true`);
    const page = withDigits(sent);
    yield { sent, page };
    hasNext = page.pagination?.hasNext === true;
  }
}

/** Parses JSON, its numbers as texts: a JavaScript number would not keep all their digits. */
function withDigits(json: string): ReportPage {
  return JSON.parse(
    json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}
