import type { ReportFailureReason, ReportSucceeded } from "../../domain/report-tasks/events.ts";
import { type ReportTaskCommand, type ReportTaskState, reportTask } from "../../domain/report-tasks/report-task.ts";
import { reportTaskStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { derivedUuid } from "../derived-ids.ts";
import { handleCommand } from "../handle-command.ts";

/** What a report ended with. */
export type ReportOutcome = Omit<ReportSucceeded["data"], "taskId" | "endedAt">;

/**
 * What the report runner appends to a task's stream. Each step can be repeated: its event has the same id each time. A
 * task that has ended keeps its end, whatever the step (contract/reports.md#tasks).
 */
export interface ReportSteps {
  /** Whether there is anything to run: not when the task has ended. */
  start(taskId: string): Promise<boolean>;
  succeed(taskId: string, outcome: ReportOutcome): Promise<void>;
  fail(taskId: string, reason: ReportFailureReason): Promise<void>;
}

export function reportSteps(log: EventLog, now: () => Date): ReportSteps {
  const record = async (taskId: string, command: ReportTaskCommand): Promise<ReportTaskState["stage"] | "Ended"> => {
    const cause = {
      actor: { kind: "reactor", name: "report-runner" },
      requestId: taskId,
      occurredAt: now().toISOString(),
    } as const;
    const stream = reportTaskStream(taskId);
    const handled = await handleCommand(log, reportTask, stream, derivedUuid(taskId, command.type), command, cause);
    if (handled.outcome === "handled") return handled.state.stage;
    const { rejected } = handled.rejection;
    if (rejected === "REPORT_ENDED_OTHERWISE") return "Ended";
    throw new Error(`${command.type} was refused: ${rejected}`);
  };
  return {
    start: async (taskId) => (await record(taskId, { type: "StartReport", data: { taskId } })) === "Started",
    succeed: async (taskId, outcome) => {
      await record(taskId, { type: "SucceedReport", data: { taskId, ...outcome, endedAt: now().toISOString() } });
    },
    fail: async (taskId, reason) => {
      await record(taskId, { type: "FailReport", data: { taskId, reason, endedAt: now().toISOString() } });
    },
  };
}
