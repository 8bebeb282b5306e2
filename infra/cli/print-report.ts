import { parse } from "csv-parse/sync";
import { type ApiClient, type RequestedTask, reportPages } from "../../client/index.ts";
import { reportModules } from "../composition/report-modules.ts";
import { type PageTable, roundedRatio } from "./actuals-table.ts";
import type { CsvTable } from "./ratio-columns.ts";
import { printable, printTable } from "./terminal-text.ts";

export const reportFormats = ["table", "csv", "json"] as const;

export type ReportFormat = (typeof reportFormats)[number];

/** Prints a report that has succeeded: as a table, as the server's CSV, or one line of JSON for each page. */
export async function printReport(
  api: ApiClient,
  task: RequestedTask,
  query: object,
  format: ReportFormat,
): Promise<void> {
  const { table } = reportModules[task.kind];
  if (format === "json") for await (const page of reportPages(api, task)) console.log(page);
  else if (format === "csv") process.stdout.write(await readCsv(api, task));
  else if ("isRatio" in table) printCsv(await readCsv(api, task, "&viewFormat=true"), table, query);
  else await printPages(reportPages(api, task), (page) => table.ofPage(page, query));
}

async function printPages(
  pages: AsyncIterable<string>,
  tableOf: (page: string) => ReturnType<PageTable>,
): Promise<void> {
  let columns: readonly string[] = [];
  const lines = [];
  for await (const page of pages) {
    const table = tableOf(page);
    columns = table.columns;
    for (const { texts, numbers } of table.rows) {
      lines.push([...texts.map(printable), ...numbers.map((number) => ({ number }))]);
    }
  }
  printTable(columns.map(printable), lines);
}

/** @param more parameters of the GET; with `viewFormat`, masked cells are marked (contract/reports.md#masking) */
async function readCsv(api: ApiClient, { path }: RequestedTask, more = ""): Promise<string> {
  return (await api.call("GET", `${path}?format=csv${more}`)).text();
}

/** A decimal, with the masking mark `+` or without. */
const decimal = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\+?$/;

function printCsv(csv: string, table: CsvTable, query: object): void {
  const [header = [], ...rows]: string[][] = parse(csv);
  const isNumber = header.map((_, column) =>
    rows.every(({ [column]: cell = "" }) => cell === "" || decimal.test(cell)),
  );
  const isRatio = header.map((name) => table.isRatio(name, query));
  const numberOf = (cell: string, column: number) => ({ number: isRatio[column] ? roundedRatio(cell) : cell });
  const lines = rows.map((row) =>
    row.map((cell, column) => (isNumber[column] ? numberOf(cell, column) : printable(cell))),
  );
  printTable(header.map(printable), lines);
}
