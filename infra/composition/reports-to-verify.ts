import type { ReadModels } from "../../projections/projection.ts";
import { succeededReportTasks } from "../../projections/report-tasks/queries.ts";
import { withAsOfPosition } from "../../projections/reports/query/query-context.ts";
import type { VerifiedReports } from "../../projections/reports/results/verify-results.ts";
import { createPositionOf } from "../event-log/as-of-positions.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { reportModules } from "./report-modules.ts";

/** The reports that `verify` computes again. */
export async function reportsToVerify(models: ReadModels, log: Pick<EventLog, "read">): Promise<VerifiedReports> {
  const positionOf = createPositionOf(log);
  return {
    tasks: await models.live("report_tasks"),
    facts: () => models.live("facts"),
    taskOf: async (taskId) => {
      const [task] = await succeededReportTasks(await models.live("report_tasks"), [taskId]);
      return task === undefined ? null : withAsOfPosition(task, positionOf);
    },
    computationOf: (kind) => reportModules[kind].computation,
  };
}
