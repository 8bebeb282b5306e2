import { metricOf } from "../../domain/reporting/catalogue/catalogue.ts";

/** The part of a page of actuals that the table shows, with numbers as text. */
interface ActualsRows {
  readonly actuals: {
    readonly data: {
      readonly rows: readonly {
        readonly groupBys: readonly string[];
        readonly values: {
          readonly [metric: string]: { readonly value: string | null; readonly viewFormat: string | null };
        };
      }[];
    };
  };
}

/** The rows of a page as a table: texts of group-bys, then numbers with all their digits, ratios rounded. */
export type PageTable = (
  page: string,
  query: object,
) => { readonly columns: readonly string[]; readonly rows: readonly TableRow[] };

export interface TableRow {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

export const actualsTable: PageTable = (page, query) => {
  const { groupBys, metrics } = query as { readonly groupBys: readonly string[]; readonly metrics: readonly string[] };
  return {
    columns: [...groupBys, ...metrics],
    rows: withDigits(page).actuals.data.rows.map((row) => ({
      texts: row.groupBys,
      numbers: metrics.map((metric) => {
        const number = row.values[metric]?.viewFormat ?? row.values[metric]?.value ?? "";
        return metricOf(metric)?.kind === "ratio" ? roundedRatio(number) : number;
      }),
    })),
  };
};

/**
 * At most two decimals, four below 1, two significant digits if it would be rounded to 0; keeps the masking mark `+`.
 */
export function roundedRatio(text: string): string {
  const [, number = "", mark = ""] = /^(-?\d+\.\d+(?:[eE][-+]?\d+)?)(\+?)$/.exec(text) ?? [];
  if (number === "") return text;
  const value = Number(number);
  const rounded = value.toFixed(Math.abs(value) < 1 ? 4 : 2).replace(/\.?0+$/, "");
  return `${Number(rounded) === 0 && value !== 0 ? value.toPrecision(2) : rounded}${mark}`;
}

/** A page of actuals with its numbers as texts: JavaScript numbers would lose digits. */
function withDigits(json: string): ActualsRows {
  return JSON.parse(
    json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}
