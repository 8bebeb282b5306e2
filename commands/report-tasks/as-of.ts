import { appSettings } from "../../domain/apps/app-settings.ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { fault } from "../../domain/fault.ts";
import type { EventPlace } from "../../domain/report-tasks/events.ts";
import type { UploadedMetric } from "../../domain/reporting/catalogue/metric.ts";
import { appStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { type Problem, problems, validationFailed } from "../../infra/http/response/problem.ts";

/** A moment of the log: its last event then, and the time it was. */
export interface Moment {
  readonly event: EventPlace;
  readonly position: bigint;
  /** The requested instant; for a position when its event was recorded or, of the request of a report, its 'now'. */
  readonly instant: Date;
}

/** Result of resolving `asOf`; `ahead`: it is in the future; `behind`: it could not be resolved in time. */
export type AsOfMoment =
  | ({ readonly outcome: "at" } & Moment)
  | { readonly outcome: "ahead" | "before_log" | "behind" };

/** What a log position or an ISO instant means (contract/reports.md#tasks): the last event at or before it. */
export type MomentOf = (asOf: string) => Promise<AsOfMoment>;

const tooEarly = validationFailed([fault("out_of_range.before_registration", ["body", "asOf"])]);

/** The moment of a report's `asOf`, or a problem: it must not be before the app was registered, nor ahead of the log. */
export async function resolveMoment(
  asOf: string | number,
  { registeredPosition }: Pick<RegisteredApp, "registeredPosition">,
  momentOf: MomentOf,
): Promise<Moment | Problem> {
  const found = await momentOf(String(asOf));
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

export function isProblem(moment: Moment | Problem): moment is Problem {
  return "status" in moment;
}

/** Metrics that an app had uploaded by a position, archived as they were then. */
export async function archivedAt(
  log: Pick<EventLog, "read">,
  appId: number,
  position: bigint,
  uploaded: readonly UploadedMetric[],
): Promise<readonly UploadedMetric[]> {
  let settings = appSettings.initialState;
  for await (const event of log.read(appStream(appId))) {
    if (event.position.commit > position) break;
    settings = appSettings.evolve(settings, event);
  }
  return uploaded.map(({ eventCategory }) => ({ eventCategory, archived: settings.archived.has(eventCategory) }));
}
