// NOTE storage format
import type { DomainEvent } from "../event.ts";
import type { ReportFilter } from "../report-tasks/events.ts";

export type RawExportType = "app" | "web" | "tracking-link";

/** The validated query of an export (contract/exports.md#requesting). */
export interface RawExportQuery {
  readonly type: RawExportType;
  /** Local times of the app, `YYYY-MM-DD HH:MM:SS`, both inclusive. */
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
    /** The `reportID` in the response to the request (contract/exports.md#requesting). */
    readonly reportId: number;
    readonly appId: number;
    /** Identifies the export of a repeated command. */
    readonly commandId: string;
    readonly query: RawExportQuery;
    /** The 'now' of the export, by which data are too old (contract/exports.md#requesting). */
    readonly requestedAt: string;
  }
>;

/** The start of a row in the file, from which a resumed download reads. */
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

/** Why an export failed: the facts did not reach its position in time, or an internal error. */
export type ExportFailureReason = "facts_behind" | "internal_error";

export type ExportFailed = DomainEvent<
  "ExportFailed",
  { readonly reportId: number; readonly reason: ExportFailureReason; readonly endedAt: string }
>;

export type RawExportEvent = ExportRequested | ExportCompleted | ExportFailed;
