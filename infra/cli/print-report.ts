import { parse } from "csv-parse/sync";
import type { ApiClient } from "../api-client/api-client.ts";
import type { ActualsPage } from "../api-client/report-pages.ts";
import { type RequestedReport, reportPages } from "../api-client/report-tasks.ts";
import { printable, printTable } from "./terminal-text.ts";

export const reportFormats = ["table", "csv", "json"] as const;

export type ReportFormat = (typeof reportFormats)[number];

/** Prints a report that has succeeded: as a table, as the server's CSV, or each page as it was sent on a line. */
export async function printReport(
  api: ApiClient,
  requested: RequestedReport,
  query: object,
  format: ReportFormat,
): Promise<void> {
  if (format === "json") for await (const sent of reportPages(api, requested)) console.log(sent);
  else if (format === "csv") process.stdout.write(await wholeCsv(api, requested));
  else if (requested.kind === "actuals") await printActuals(api, requested, query);
  else printCsv(await wholeCsv(api, requested));
}

/** A table of pages, not of the CSV: its masked cells are marked (contract/reports.md#masking). */
async function printActuals(api: ApiClient, requested: RequestedReport, query: object): Promise<void> {
  const { groupBys, metrics } = query as { readonly groupBys: readonly string[]; readonly metrics: readonly string[] };
  const lines = [];
  for await (const sent of reportPages(api, requested)) {
    for (const row of withDigits(sent).actuals.data.rows) {
      const values = metrics.map((metric) => row.values[metric]);
      const numbers = values.map((cell) => ({ number: cell?.viewFormat ?? cell?.value ?? "" }));
      lines.push([...row.groupBys.map(printable), ...numbers]);
    }
  }
  printTable([...groupBys, ...metrics].map(printable), lines);
}

function wholeCsv(api: ApiClient, { path }: RequestedReport): Promise<string> {
  return api.read(`${path}?format=csv`);
}

const decimal = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function printCsv(csv: string): void {
  const [header = [], ...rows]: string[][] = parse(csv);
  const isNumber = header.map((_, column) =>
    rows.every(({ [column]: cell = "" }) => cell === "" || decimal.test(cell)),
  );
  const lines = rows.map((row) => row.map((cell, column) => (isNumber[column] ? { number: cell } : printable(cell))));
  printTable(header.map(printable), lines);
}

/** A page of actuals, its numbers as texts: a JavaScript number would not keep all their digits. */
function withDigits(json: string): ActualsPage<string> {
  return JSON.parse(
    json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}
