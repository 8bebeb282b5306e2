import { shop } from "../../examples/app.ts";
import type { Answer } from "../../support/client.ts";
import { lastWeek, type Reports } from "./reports.ts";

const path = `/reports/api/v3/apps/${shop.name}/revenue/query`;

/** Cumulative revenue of the installs of the last week, by date. */
export const revenueOfWeek = {
  from: lastWeek[0],
  to: lastWeek[6],
  groupBy: { fields: [] as string[] },
  granularity: "day",
  startEvents: ["app_install"],
  returnEvents: ["app_order_complete"],
  metric: "app_revenue",
  aggregationType: "cumulative",
  filters: [],
  sorts: [],
};

/** Revenue reports as callers ask for them. */
export function revenueReports(reports: Reports) {
  const request = (body: object, token = "owner"): Promise<Answer> => reports.call("POST", path, { token, body });
  const requested = async (body: object): Promise<string> => {
    const answer = await request(body);
    if (answer.status !== 200) throw new Error(answer.text);
    return (answer.json as { data: { taskId: string } }).data.taskId;
  };
  const read = (taskId: string, query = "", token = "owner"): Promise<Answer> =>
    reports.call("GET", `${path}/${taskId}${query}`, { token, headers: { "X-Min-Position": "0" } });
  return {
    request,
    requested,
    read,
    cancel: (taskId: string, token = "owner") => reports.call("DELETE", `${path}/${taskId}`, { token }),
    /** The id of a report that has run to its end. */
    ended: async (body: object): Promise<string> => {
      const taskId = await requested(body);
      await reports.runUntil(async () => /"(SUCCESS|FAILURE)"/.test((await read(taskId)).text));
      return taskId;
    },
  };
}
