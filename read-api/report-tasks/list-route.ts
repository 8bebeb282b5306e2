import type { ReportKind } from "../../domain/report-tasks/events.ts";
import { appRoute, type Route } from "../../infra/http/routing/route.ts";
import type { ListPage, SizedPosition } from "../../projections/list-page.ts";
import type { ListedReportTask, ReportTaskList, ReportTaskRow } from "../../projections/report-tasks/queries.ts";
import { listParameters, pageOf } from "../listing.ts";
import { streamedList } from "../streamed-list.ts";
import { listReportTasksDocs } from "./docs.ts";
import { statuses, taskResponse } from "./task-response.ts";

export interface ReportTaskListDeps {
  /** The kinds of reports. */
  readonly kinds: readonly ReportKind[];
  listReportTasks(list: ReportTaskList): Promise<ListPage<SizedPosition>>;
  reportTasksAt(appId: number, positions: readonly bigint[]): Promise<readonly ListedReportTask[]>;
}

/** `GET /admin/v1/apps/{app_name}/report-tasks`: the report tasks of an app (contract/reports.md#listing-tasks). */
export function reportTaskListRoute({ kinds, listReportTasks, reportTasksAt }: ReportTaskListDeps): Route {
  const properties = {
    ...listParameters,
    kind: { type: "string", enum: kinds },
    status: { type: "string", enum: Object.values(statuses) },
  } as const;
  return appRoute({
    method: "get",
    path: "/admin/v1/apps/:app_name/report-tasks",
    docs: listReportTasksDocs,
    operation: "administer_app",
    query: { type: "object", properties },
    reads: "control",
    handle: async ({ app, query }) => {
      const { kind = null, status } = query as { readonly kind?: ReportKind; readonly status?: string };
      const stage = stages.find((one) => statuses[one] === status) ?? null;
      const list = { appId: app.appId, report: kind, stage, ...pageOf(query) };
      const { rows, totalCount } = await listReportTasks(list);
      const itemsAt = async (positions: readonly bigint[]) =>
        (await reportTasksAt(app.appId, positions)).map(listedTask);
      const head = `{"data":{"totalCount":${totalCount},"reportTasks":[`;
      return streamedList({ head, rows, itemsAt, tail: "]}}" });
    },
  });
}

function listedTask(task: ListedReportTask): object {
  return {
    ...taskResponse(task),
    kind: task.report,
    requestedAt: task.requestedAt.toISOString(),
    requestedBy: task.requestedBy,
    query: shownQuery(task),
  };
}

/** The query with its `asOf` as a position: the event there may be another app's. */
function shownQuery({ query, position }: ReportTaskRow): object {
  return query.asOf === undefined ? query : { ...query, asOf: position.toString() };
}

const stages = Object.keys(statuses) as ReportTaskRow["stage"][];
