import { Command, Option } from "commander";
import { ApiRefused } from "../../api-client/api-client.ts";
import { followReport, type ReportPage, reportPages, requestReport } from "../../api-client/report-tasks.ts";
import {
  ApiCallFailed,
  type ApiConnection,
  type ConnectionFlags,
  called,
  connectToApi,
  problemText,
} from "../api-connection.ts";
import { FileUnusable, readGivenFile } from "../given-file.ts";
import { printTable } from "../print-table.ts";
import { printable } from "../printable.ts";
import { waitingDots } from "../progress-bars.ts";

/** More than any server takes. */
const mostBytes = 1024 * 1024;
const waitedMs = 15 * 60 * 1000;

interface ReportFlags extends ConnectionFlags {
  readonly file: string;
  readonly app?: string;
  readonly wait: boolean;
  readonly format: "table" | "csv" | "json";
}

/** A report as its file asks it. */
interface AskedReport {
  readonly app: string;
  readonly query: { readonly groupBys?: readonly string[]; readonly metrics?: readonly string[] };
}

/** `touchledger report`: what is done with reports. */
export function reportCommand(): Command {
  return new Command("report").description("ask a running instance for reports").addCommand(runCommand());
}

/**
 * `touchledger report run`: requests an actuals report and, with `--wait`, prints it once it is there. Exit 1 when it
 * is refused, or has no result.
 */
function runCommand(): Command {
  return new Command("run")
    .description("request an actuals report and print its id or, with --wait, its rows")
    .requiredOption("--file <query.json>", 'body of the request; "report": "actuals" and "app" may stand in it as well')
    .option("--app <name>", 'name of the app (default: "app" in the file)')
    .option("--wait", "wait until it is there, and print it", false)
    .addOption(
      new Option("--format <format>", "json: each page as it was sent, on a line of its own")
        .choices(["table", "csv", "json"])
        .default("table"),
    )
    .option("--url <url>", "address of the instance (default: the one that runs on DATA_DIR)")
    .option("--token <token>", "of the app, that may ask for reports (better: TOUCHLEDGER_TOKEN)")
    .action(async ({ file, app, wait, format, ...flags }: ReportFlags) => {
      const connection = await connectToApi(flags, process.env);
      const asked = await readAsked(file, app);
      const { path, id } = await requested(connection, asked);
      if (!wait) return console.log(id);
      const ended = await waitedFor(connection, path);
      if (ended.task.status !== "SUCCESS") throw new ApiCallFailed(endText(id, ended));
      await called(connection, () => printReport(connection, path, asked, format));
      if (format === "json") return;
      for (const { code, message } of ended.notifications ?? []) console.error(printable(`${code}: ${message}`));
    });
}

/** @throws {FileUnusable} */
async function readAsked(file: string, appFlag: string | undefined): Promise<AskedReport> {
  const content = parsed(new TextDecoder().decode(await readGivenFile(file, mostBytes, "query")));
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new FileUnusable(`${file} holds no JSON object.`);
  }
  const { report = "actuals", app = null, ...query } = content as { readonly [key: string]: unknown };
  if (report !== "actuals") throw new FileUnusable(`${file} asks for another report than "actuals".`);
  const named = appFlag ?? app;
  if (typeof named !== "string") throw new FileUnusable(`Name the app: give --app, or write "app" into ${file}.`);
  return { app: named, query };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What is wrong with the fields of a refused query is printed as a table. */
function requested(connection: ApiConnection, { app, query }: AskedReport): Promise<{ path: string; id: string }> {
  return called(connection, async () => {
    try {
      return await requestReport(connection.changing, app, query);
    } catch (failure) {
      const { errors } = failure instanceof ApiRefused ? problemText(failure.answer) : { errors: [] };
      if (!(failure instanceof ApiRefused) || errors.length === 0) throw failure;
      printTable(
        ["field", "fault"],
        errors.map(({ field, fault }) => [printable(field), printable(fault)]),
      );
      throw new ApiCallFailed(`${connection.url} refused the query with ${failure.status}.`);
    }
  });
}

async function waitedFor(connection: ApiConnection, path: string): Promise<ReportPage> {
  const dots = waitingDots();
  try {
    return await called(connection, () => followReport(connection.reading, path, dots.show, waitedMs));
  } finally {
    dots.stop();
  }
}

function endText(id: string, { task, notifications = [] }: ReportPage): string {
  const isOver = task.status !== "RUNNING" && task.status !== "PENDING";
  const what = isOver ? `ended as ${task.status}` : `is still ${task.status} after ${waitedMs / 60_000} minutes`;
  return [`Report ${id} ${what}.`, ...notifications.map(({ message }) => message)].map(printable).join("\n  ");
}

async function printReport(
  { reading }: ApiConnection,
  path: string,
  { query: { groupBys = [], metrics = [] } }: AskedReport,
  format: ReportFlags["format"],
): Promise<void> {
  if (format === "csv") {
    process.stdout.write(await reading.read(`${path}?format=csv`));
    return;
  }
  const rows = [];
  for await (const { sent, page } of reportPages(reading, path)) {
    if (format === "json") console.log(sent);
    else rows.push(...(page.actuals?.data.rows ?? []));
  }
  if (format === "json") return;
  const lines = rows.map((row) => [
    ...row.groupBys.map(printable),
    ...metrics.map((metric) => ({ number: row.values[metric]?.viewFormat ?? row.values[metric]?.value ?? "" })),
  ]);
  printTable([...groupBys, ...metrics].map(printable), lines);
}
