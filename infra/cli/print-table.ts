type Cell = string | number | bigint | { readonly number: string };

const textOf = (cell: Cell | undefined): string => (typeof cell === "object" ? cell.number : String(cell));

/** Prints rows under a header, in columns as wide as their widest cell; numbers stand to the right. */
export function printTable(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  print: (line: string) => void = console.log,
): void {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => textOf(row[column]).length)),
  );
  const line = (cells: readonly Cell[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return typeof cell === "string" ? cell.padEnd(width) : textOf(cell).padStart(width);
      })
      .join("  ")
      .trimEnd();
  print(line(header));
  print(line(widths.map((width) => "-".repeat(width))));
  for (const row of rows) print(line(row));
}
