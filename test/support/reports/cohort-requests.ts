import { reportPath } from "../../../client/index.ts";
import { shop } from "../../examples/app.ts";
import type { Answer } from "../raw-client.ts";
import { lastWeek, type Reports } from "./report-application.ts";

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

/** Retention or revenue reports over HTTP. */
export function cohortReports(reports: Reports, kind: "retention" | "revenue") {
  const path = reportPath(kind, shop.name);
  const requested = async (body: object): Promise<string> => {
    const answer = await reports.call("POST", path, { token: "owner", body });
    if (answer.status !== 200) throw new Error(answer.text);
    return (answer.json as { data: { taskId: string } }).data.taskId;
  };
  const read = (taskId: string, query = ""): Promise<Answer> =>
    reports.call("GET", `${path}/${taskId}${query}`, { token: "owner", headers: { "X-Min-Position": "0" } });
  return {
    requested,
    read,
    /** The id of a report that has run to its end. */
    ended: async (body: object): Promise<string> => {
      const taskId = await requested(body);
      await reports.runUntil(async () => /"(SUCCESS|FAILURE)"/.test((await read(taskId)).text));
      return taskId;
    },
  };
}
