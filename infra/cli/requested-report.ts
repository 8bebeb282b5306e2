import { isReportKind, type ReportKindName, reportKinds } from "../api-client/report-kinds.ts";
import { FileUnusable, readFileArgument } from "./file-argument.ts";

/** More than any server takes. */
const mostBytes = 1024 * 1024;

/** A report as a file asks it. */
export interface AskedReport {
  readonly kind: ReportKindName;
  readonly app: string;
  /** Body of the POST; as the file has it, so that the server says what is wrong with it. */
  readonly query: object;
}

/**
 * A file with the body of a report's POST, in which "report" and "app" may stand as well; `given` goes before them.
 * Without either it is an actuals report.
 * @throws {FileUnusable}
 */
export async function readAskedReport(
  file: string,
  given: { readonly report: string | undefined; readonly app: string | undefined },
): Promise<AskedReport> {
  const content = parsed(new TextDecoder().decode(await readFileArgument(file, mostBytes, "query")));
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new FileUnusable(`${file} holds no JSON object.`);
  }
  const { report = "actuals", app, ...query } = content as { readonly [key: string]: unknown };
  const kind = given.report ?? report;
  if (!isReportKind(kind)) {
    throw new FileUnusable(`${file} asks for no report that there is: ${Object.keys(reportKinds).join(", ")}.`);
  }
  const named = given.app ?? app;
  if (typeof named !== "string") throw new FileUnusable(`Name the app: give --app, or write "app" into ${file}.`);
  return { kind, app: named, query };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
