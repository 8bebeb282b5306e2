import stringWidth from "string-width";

/** A cell of a table; numbers are aligned to the right. */
export type Cell = string | number | bigint | { readonly number: string };

/** Text of others without control characters, which a terminal would interpret. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "\uFFFD");
}

/** Prints rows under a header. */
export function printTable(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  print: (line: string) => void = console.log,
): void {
  const widths = columnWidths([header, ...rows]);
  const dashes = widths.map((width) => "-".repeat(width));
  for (const line of alignedLines([header, dashes, ...rows])) print(line);
}

/**
 * Rows of the same number of cells as lines, made {@link printable}, in columns as wide as their widest cell on a terminal,
 * where letters of Korean take two places.
 */
export function alignedLines(rows: readonly (readonly Cell[])[]): readonly string[] {
  const widths = columnWidths(rows);
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      const text = textOf(cell);
      const padding = " ".repeat(width - stringWidth(text));
      return typeof cell === "string" ? text + padding : padding + text;
    });
    return cells.join("  ").trimEnd();
  });
}

function columnWidths([header = [], ...rows]: readonly (readonly Cell[])[]): readonly number[] {
  return header.map((title, column) =>
    Math.max(stringWidth(textOf(title)), ...rows.map(({ [column]: cell }) => stringWidth(textOf(cell)))),
  );
}

function textOf(cell: Cell | undefined): string {
  return printable(typeof cell === "object" ? cell.number : String(cell));
}
