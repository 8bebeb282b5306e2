import { parse } from "csv-parse/sync";
import { type ApiClient, type RequestedTask, reportPages } from "../../client/index.ts";
import { reportModules } from "../composition/report-modules.ts";
import { type CsvTable, roundedRatio } from "./report-tables.ts";
import { printTable } from "./terminal-text.ts";

export const reportFormats = ["table", "csv", "json"] as const;

export type ReportFormat = (typeof reportFormats)[number];

/** Prints a report that has succeeded: as a table, as the server's CSV, or one line of JSON for each page. */
export async function printReport(
  api: ApiClient,
  task: RequestedTask,
  query: object,
  format: ReportFormat,
): Promise<void> {
  if (format === "json") for await (const page of reportPages(api, task)) console.log(page);
  else if (format === "csv") process.stdout.write(await readCsv(api, task));
  else printCsv(await readCsv(api, task, "&viewFormat=true"), reportModules[task.kind].table, query);
}

/** @param more parameters of the GET; with `viewFormat`, masked cells are marked (contract/reports.md#masking) */
async function readCsv(api: ApiClient, { path }: RequestedTask, more = ""): Promise<string> {
  return (await api.call("GET", `${path}?format=csv${more}`)).text();
}

/** A decimal, with the masking mark `+` or without. */
const decimal = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\+?$/;

/** The apostrophe before a text that a spreadsheet would run as a formula (contract/exports.md#downloading). */
const guarded = /^'(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/;

/** The group-bys of a query, as each kind of report names them. */
interface Grouped {
  readonly groupBys?: readonly string[];
  readonly groupBy?: { readonly fields: readonly string[] };
}

function printCsv(csv: string, table: CsvTable, query: object): void {
  const [header = [], ...rows]: string[][] = parse(csv);
  const { groupBys = [], groupBy } = query as Grouped;
  const texts = new Set([...groupBys, ...(groupBy?.fields ?? [])]);
  const isNumber = header.map(
    (name, column) => !texts.has(name) && rows.every(({ [column]: cell = "" }) => cell === "" || decimal.test(cell)),
  );
  const isRatio = header.map((name) => table.isRatio(name, query));
  const numberOf = (cell: string, column: number) => ({ number: isRatio[column] ? roundedRatio(cell) : cell });
  const lines = rows.map((row) =>
    row.map((cell, column) => (isNumber[column] ? numberOf(cell, column) : cell.replace(guarded, ""))),
  );
  printTable(header, lines);
}
