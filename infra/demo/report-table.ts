import { type Counts, nothing, type TruthRow } from "./ground-truth.ts";

const columns = ["date", "channel", "campaign", "clicks", "installs", "orders", "revenue", "cost", "visits"] as const;
const firstNumber = 3;

/** The report as text, a line each row, numbers to the right; a date is printed once, totals stand last. */
export function reportTable(rows: readonly TruthRow[]): string {
  const total: Counts = { ...nothing };
  let lastDate = "";
  const cells = rows.map((row) => {
    total.clicks += row.clicks;
    total.installs += row.installs;
    total.orders += row.orders;
    total.revenueCents += row.revenueCents;
    total.costCents += row.costCents;
    total.storeVisits += row.storeVisits;
    const date = row.date === lastDate ? "" : row.date;
    lastDate = row.date;
    return [date, row.channel, row.campaign, ...numbers(row)];
  });
  const lines = [[...columns], ...cells, ["total", "", "", ...numbers(total)]];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => padded(cell, column, widths))
      .join("  ")
      .trimEnd(),
  );
  const rule = "-".repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return [text[0], rule, ...text.slice(1, -1), rule, text.at(-1)].join("\n");
}

function numbers(row: Counts): readonly string[] {
  const money = (cents: number): string => (cents / 100).toFixed(2);
  const { clicks, installs, orders, revenueCents, costCents, storeVisits } = row;
  return [String(clicks), String(installs), String(orders), money(revenueCents), money(costCents), String(storeVisits)];
}

function padded(cell: string, column: number, widths: readonly number[]): string {
  const width = widths[column] ?? 0;
  return column < firstNumber ? cell.padEnd(width) : cell.padStart(width);
}
