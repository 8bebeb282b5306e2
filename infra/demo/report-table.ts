import type { TruthRow } from "./ground-truth.ts";

const columns = ["date", "channel", "campaign", "clicks", "installs", "orders", "revenue"] as const;
const firstNumber = 3;

/** The report as text, a line each row, numbers to the right; a date is printed once, totals stand last. */
export function reportTable(rows: readonly TruthRow[]): string {
  const total = { clicks: 0, installs: 0, orders: 0, revenueCents: 0 };
  let lastDate = "";
  const cells = rows.map((row) => {
    total.clicks += row.clicks;
    total.installs += row.installs;
    total.orders += row.orders;
    total.revenueCents += row.revenueCents;
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

function numbers(row: Pick<TruthRow, "clicks" | "installs" | "orders" | "revenueCents">): readonly string[] {
  return [String(row.clicks), String(row.installs), String(row.orders), (row.revenueCents / 100).toFixed(2)];
}

function padded(cell: string, column: number, widths: readonly number[]): string {
  const width = widths[column] ?? 0;
  return column < firstNumber ? cell.padEnd(width) : cell.padStart(width);
}
