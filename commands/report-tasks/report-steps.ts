import type { ReportSucceeded } from "../../domain/report-tasks/events.ts";
import { type ReportTaskCommand, reportTask } from "../../domain/report-tasks/report-task.ts";
import { reportTaskStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { derivedUuid } from "../derived-ids.ts";
import { handleCommand } from "../handle-command.ts";

/** What a report ended with. */
export type ReportOutcome = Omit<ReportSucceeded["data"], "taskId" | "endedAt">;

/** What the report runner appends to a task's stream. Each step can be repeated: its event has the same id each time. */
export interface ReportSteps {
  start(taskId: string): Promise<void>;
  succeed(taskId: string, outcome: ReportOutcome): Promise<void>;
  fail(taskId: string, reason: string): Promise<void>;
}

export function reportSteps(log: EventLog, now: () => Date): ReportSteps {
  const record = async (taskId: string, command: ReportTaskCommand): Promise<void> => {
    const cause = {
      actor: { kind: "reactor", name: "report-runner" },
      requestId: taskId,
      occurredAt: now().toISOString(),
    } as const;
    const stream = reportTaskStream(taskId);
    const handled = await handleCommand(log, reportTask, stream, derivedUuid(taskId, command.type), command, cause);
    if (handled.outcome === "rejected") throw new Error(`${command.type} was refused: ${handled.rejection.rejected}`);
  };
  return {
    start: (taskId) => record(taskId, { type: "StartReport", data: { taskId } }),
    succeed: (taskId, outcome) =>
      record(taskId, { type: "SucceedReport", data: { taskId, ...outcome, endedAt: now().toISOString() } }),
    fail: (taskId, reason) =>
      record(taskId, { type: "FailReport", data: { taskId, reason, endedAt: now().toISOString() } }),
  };
}
