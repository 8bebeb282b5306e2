import { Command, Option } from "commander";
import { followReport, hasEnded, type RequestedTask, requestReport, type TaskState } from "../../../client/index.ts";
import { minuteMs } from "../../../domain/values/instants.ts";
import { reportModules } from "../../composition/report-modules.ts";
import {
  ApiCallFailed,
  type ApiConnection,
  type ConnectionFlags,
  connectToApi,
  withApiErrors,
  withPrintedFaults,
} from "../api-connection.ts";
import { nonEmpty } from "../argument-parsers.ts";
import { printReport, type ReportFormat, reportFormats } from "../print-report.ts";
import { waitingDots } from "../progress-bars.ts";
import { readRequestedReport } from "../requested-report.ts";
import { printable } from "../terminal-text.ts";

const waitedMs = 15 * minuteMs;

interface ReportFlags extends ConnectionFlags {
  readonly file: string;
  readonly report?: string;
  readonly app?: string;
  readonly wait: boolean;
  readonly format: ReportFormat;
}

/** `touchledger report`. */
export function reportCommand(): Command {
  return new Command("report").addCommand(runCommand());
}

/**
 * `touchledger report run`: requests a report and, with `--wait`, prints its rows once it has succeeded. Exit 1 when it
 * is refused, or has no result.
 */
function runCommand(): Command {
  return new Command("run")
    .description("request a report and print its id or, with --wait, its rows")
    .requiredOption(
      "--file <query.json>",
      'body of the request, - for standard input; "report" and "app" may be members of it too',
    )
    .addOption(
      new Option("--report <kind>", 'which report (default: "report" in the file, or actuals)').choices(
        Object.keys(reportModules),
      ),
    )
    .option("--app <name>", 'name of the app (default: "app" in the file)', nonEmpty)
    .option("--wait", "wait for the result, and print it", false)
    .addOption(
      new Option("--format <format>", "json: each page as it was sent, on a line of its own")
        .choices(reportFormats)
        .default("table"),
    )
    .option("--url <url>", "address of the instance (default: the one that runs on DATA_DIR)")
    .option("--token <token>", "an app token that may request reports (better: TOUCHLEDGER_TOKEN)")
    .action(async ({ file, report, app, wait, format, ...flags }: ReportFlags) => {
      const connection = await connectToApi(flags, process.env);
      const requested = await readRequestedReport(file, { report, app });
      const task = await withPrintedFaults(connection, () =>
        requestReport(connection.changing, requested.kind, requested.app, requested.query as never),
      );
      if (!wait) return console.log(task.taskId);
      const state = await withTaskId(task, () => waitedFor(connection, task));
      if (state.status !== "SUCCESS") throw new ApiCallFailed(endText(task, state));
      await withTaskId(task, () =>
        withApiErrors(connection, () => printReport(connection.reading, task, requested.query, format)),
      );
      if (format === "json") return;
      for (const { code, message } of state.notifications) console.error(printable(`${code}: ${message}`));
    });
}

async function waitedFor(connection: ApiConnection, task: RequestedTask): Promise<TaskState> {
  const dots = waitingDots();
  try {
    return await withApiErrors(connection, () => followReport(connection.reading, task, dots.show, waitedMs));
  } finally {
    dots.stop();
  }
}

/** @throws {ApiCallFailed} for a failed call, with the id of the task, whose result can still be read */
async function withTaskId<Result>({ taskId }: RequestedTask, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (failure) {
    if (!(failure instanceof ApiCallFailed)) throw failure;
    throw new ApiCallFailed(`${failure.message}\n  The task of the report is ${printable(taskId)}.`);
  }
}

function endText({ taskId }: RequestedTask, state: TaskState): string {
  const { status, notifications } = state;
  const what = hasEnded(state) ? `ended as ${status}` : `is still ${status} after ${waitedMs / minuteMs} minutes`;
  return [`Report ${taskId} ${what}.`, ...notifications.map(({ message }) => message)].map(printable).join("\n  ");
}
