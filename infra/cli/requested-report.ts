import type { ReportKind } from "../../domain/report-tasks/events.ts";
import { nearestName } from "../../domain/values/nearest-name.ts";
import { reportModules } from "../composition/report-modules.ts";
import { FileUnusable, readFileArgument, readStandardInput } from "./file-argument.ts";

/** More than any server accepts. */
const maxBytes = 1024 * 1024;

/** A report that a file or standard input describes. */
export interface RequestedReport {
  readonly kind: ReportKind;
  readonly app: string;
  /** Body of the POST, as written: the server validates it. */
  readonly query: object;
}

/**
 * Reads the body of a report's POST from a file or standard input. It may have "report" and "app" as well; `options`
 * override them. The default is an actuals report.
 * @param file `-`: standard input
 * @throws {FileUnusable}
 */
export async function readRequestedReport(
  file: string,
  options: { readonly report: string | undefined; readonly app: string | undefined },
): Promise<RequestedReport> {
  const isFile = file !== "-";
  const source = isFile ? file : "Standard input";
  const bytes = isFile ? await readFileArgument(file, maxBytes, "query") : await readStandardInput(maxBytes, "query");
  const content = parse(source, new TextDecoder().decode(bytes));
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new FileUnusable(`${source} holds no JSON object.`);
  }
  const { report = "actuals", app, ...query } = content as { readonly [key: string]: unknown };
  const kind = options.report ?? report;
  if (!isReportKind(kind)) {
    const kinds = Object.keys(reportModules);
    const nearest = nearestName(String(kind), kinds);
    const suggestion = nearest === null ? "" : ` Did you mean ${nearest}?`;
    throw new FileUnusable(`${source} names no kind of report: ${kinds.join(", ")}.${suggestion}`);
  }
  const name = options.app ?? app;
  if (typeof name !== "string") throw new FileUnusable(`Name the app: give --app, or write "app" into the query.`);
  return { kind, app: name, query };
}

function isReportKind(name: unknown): name is ReportKind {
  return typeof name === "string" && Object.hasOwn(reportModules, name);
}

/** @throws {FileUnusable} with the parser's reason */
function parse(source: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (failure) {
    throw new FileUnusable(`${source} is not JSON: ${(failure as Error).message}.`);
  }
}
