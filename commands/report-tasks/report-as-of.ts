import { appControls } from "../../domain/apps/app-controls.ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { fault } from "../../domain/fault.ts";
import type { EventPlace } from "../../domain/report-tasks/events.ts";
import type { UploadedMetric } from "../../domain/reporting/catalogue/metric.ts";
import { appStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { type Problem, problems, validationFailed } from "../../infra/http/response/problem.ts";

/** What an `asOf` stands for: the last event of the log at or before it, and an instant. */
export interface ResolvedAsOf {
  readonly event: EventPlace;
  readonly position: bigint;
  /**
   * The requested instant; for a position, when its event was recorded or, if it requested a report, when that report
   * was requested.
   */
  readonly instant: Date;
}

/** Result of resolving `asOf`; `ahead`: it is in the future; `behind`: it could not be resolved in time. */
export type AsOfResolution =
  | ({ readonly outcome: "at" } & ResolvedAsOf)
  | { readonly outcome: "ahead" | "before_log" | "behind" };

/** Resolves a log position or an ISO instant (contract/reports.md#tasks). */
export type ResolveAsOf = (asOf: string) => Promise<AsOfResolution>;

const tooEarly = validationFailed([fault("out_of_range.before_registration", ["body", "asOf"])]);

/**
 * Resolves the `asOf` of a report. A problem: it is before the app was registered, ahead of the log, or unresolved in
 * time.
 */
export async function resolveReportAsOf(
  asOf: string | number,
  { registeredPosition }: Pick<RegisteredApp, "registeredPosition">,
  resolveAsOf: ResolveAsOf,
): Promise<ResolvedAsOf | Problem> {
  const found = await resolveAsOf(String(asOf));
  switch (found.outcome) {
    case "at":
      // Positions are compared, as the clocks of processes and of the event store may step back.
      return found.position < registeredPosition ? tooEarly : found;
    case "before_log":
      return tooEarly;
    case "ahead":
      return validationFailed([fault("out_of_range.ahead_of_log", ["body", "asOf"])]);
    case "behind":
      return problems.readModelBehind;
  }
}

export function isProblem(resolved: ResolvedAsOf | Problem): resolved is Problem {
  return "status" in resolved;
}

/** Metrics that an app had uploaded by a position, archived as they were then. */
export async function archivedAt(
  log: Pick<EventLog, "read">,
  appId: number,
  position: bigint,
  uploaded: readonly UploadedMetric[],
): Promise<readonly UploadedMetric[]> {
  let controls = appControls.initialState;
  for await (const event of log.read(appStream(appId))) {
    if (event.position.commit > position) break;
    controls = appControls.evolve(controls, event);
  }
  return uploaded.map(({ eventCategory }) => ({ eventCategory, archived: controls.archived.has(eventCategory) }));
}
