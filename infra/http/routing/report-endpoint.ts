import type { ReportKind } from "../../../domain/report-tasks/events.ts";
import type { Operation } from "../../../domain/tokens/permissions.ts";

/** The member of a response that describes the task of a report. */
export type TaskMember = "task" | "data";

/** The paths of a kind of report (contract/reports.md#tasks), and its name in their documentation. */
export interface ReportEndpoint {
  readonly kind: ReportKind;
  /** With its article: `an actuals report`. */
  readonly title: string;
  /** The section of the contract that states its rules. */
  readonly contract: string;
  /** Path of the POST; tasks are one segment below. */
  readonly path: string;
  readonly operation: Operation;
  readonly taskMember: { readonly post: TaskMember; readonly get: TaskMember };
}
