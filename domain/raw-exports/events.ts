// NOTE storage format
import type { DomainEvent } from "../event.ts";
import type { ReportFilter } from "../report-tasks/events.ts";

export type RawExportType = "app" | "web" | "tracking-link";

/** The checked query of an export (contract/exports.md#requesting), checked. */
export interface RawExportQuery {
  readonly type: RawExportType;
  /** On the clocks of the app's time zone, `YYYY-MM-DD HH:MM:SS`, both inclusive. */
  readonly start: string;
  readonly end: string;
  /** Event keys (contract/exports.md#requesting), each once. */
  readonly events: readonly string[];
  /** Property keys (contract/exports.md#requesting), each once: the columns of the file, in their order. */
  readonly properties: readonly string[];
  readonly filters: readonly ReportFilter[];
}

export type ExportRequested = DomainEvent<
  "ExportRequested",
  {
    /** The `reportID` that a request is answered with (contract/exports.md#requesting). */
    readonly reportId: number;
    readonly appId: number;
    /** Id of the command: a command that is repeated finds its export by it. */
    readonly commandId: string;
    readonly query: RawExportQuery;
    /** What is 'now' for the export: which data are too old (contract/exports.md#requesting). */
    readonly requestedAt: string;
  }
>;

/** A place in the file where a row begins: what a download that is resumed behind it starts from. */
export interface ResumePoint {
  /** Bytes of the file before it. */
  readonly offset: number;
  /** The last row before it, by event time (ISO 8601) and event id. */
  readonly after: { readonly at: string; readonly id: string };
}

export type ExportCompleted = DomainEvent<
  "ExportCompleted",
  {
    readonly reportId: number;
    readonly rows: number;
    /** Of the CSV file. */
    readonly bytes: number;
    /** SHA-256 of the CSV file, hex: the same whenever it is downloaded. */
    readonly sha256: string;
    readonly resumePoints: readonly ResumePoint[];
    readonly endedAt: string;
  }
>;

/** Why an export has no file: the facts did not come as far in time, or a fault of ours. */
export type ExportFailureReason = "facts_behind" | "internal_error";

export type ExportFailed = DomainEvent<
  "ExportFailed",
  { readonly reportId: number; readonly reason: ExportFailureReason; readonly endedAt: string }
>;

export type RawExportEvent = ExportRequested | ExportCompleted | ExportFailed;
