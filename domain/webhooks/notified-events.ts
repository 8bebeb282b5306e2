import type { EventType } from "../event-catalogue.ts";

/** Starts of tasks whose ends webhooks are notified of. */
export const taskStarts = [
  "UploadReceived",
  "ReportRequested",
  "ExportRequested",
] as const satisfies readonly EventType[];

/** Ends of uploads, reports and exports, which webhooks are notified of. */
export const taskEnds = [
  "UploadSucceeded",
  "UploadRejected",
  "UploadFailed",
  "ReportSucceeded",
  "ReportFailed",
  "ReportCanceled",
  "ExportCompleted",
  "ExportFailed",
] as const satisfies readonly EventType[];

/** Decisions and revisions, which webhooks are notified of. */
export const attributions = ["AttributionDecided", "AttributionRevised"] as const satisfies readonly EventType[];

/** Every event that webhooks are notified of. */
export const notifiedEvents: ReadonlySet<EventType> = new Set([...attributions, ...taskEnds]);
