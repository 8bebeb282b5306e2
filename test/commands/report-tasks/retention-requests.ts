import { shop } from "../../examples/app.ts";
import type { Answer } from "../../support/client.ts";
import { lastWeek, type Reports } from "./reports.ts";

const path = `/reports/api/v5/apps/${shop.name}/retention/query`;

/** Orders after the installs of the last week, by date. */
export const retentionOfWeek = {
  from: lastWeek[0],
  to: lastWeek[6],
  granularity: "day",
  startEvent: ["app_installs"],
  returnEvents: ["app_order_complete"],
  measurementOption: "general_retention",
  groupBy: { fields: [] as string[] },
  filters: [],
  sorts: [],
};

/** Retention reports as callers ask for them. */
export function retentionReports(reports: Reports) {
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
