import type { FromSchema } from "json-schema-to-ts";
import { validateActualsQuery, namesUploadedMetrics } from "../../domain/reporting/actuals/query.ts";
import type { UploadedMetric } from "../../domain/reporting/catalogue/metric.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { archivedThen, type Moment } from "./as-of.ts";
import type { RequestableReport } from "./request-route.ts";
import { actualsBody } from "./schemas.ts";

export interface ActualsDeps {
  readonly log: EventLog;
  /** The metrics that an app has uploaded, up to a log position if one is given; archived ones too, as of now. */
  uploadedMetrics(appId: number, position?: bigint): Promise<readonly UploadedMetric[]>;
}

/** The POST of this report (contract/reports.md#actuals). */
export function requestableActuals(deps: ActualsDeps): RequestableReport<"actuals", FromSchema<typeof actualsBody>> {
  return {
    report: "actuals",
    path: "/reports/api/v7/apps/:app_name/actuals/query",
    operation: "report_actuals",
    body: actualsBody,
    check: async (body, { app, today, moment }) => {
      const uploaded = namesUploadedMetrics(body) ? await metricsThen(deps, app.appId, moment) : [];
      return validateActualsQuery(body, today, uploaded);
    },
    answer: (task) => ({ task }),
  };
}

/** The app's uploaded metrics, archived or not, as of a moment; null: now. */
async function metricsThen(
  { log, uploadedMetrics }: ActualsDeps,
  appId: number,
  moment: Moment | null,
): Promise<readonly UploadedMetric[]> {
  if (moment === null) return uploadedMetrics(appId);
  return archivedThen(log, appId, moment.position, await uploadedMetrics(appId, moment.position));
}
