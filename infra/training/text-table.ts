const indent = "  ";

/** Lines of a table: the first column to the left, the others, which are numbers, to the right. */
export function alignedTable(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => {
    const cells = widths.map((width, column) => {
      const cell = line[column] ?? "";
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return (indent + cells.join(indent)).trimEnd();
  });
}

/** A share as a percentage with one decimal. */
export function percent(share: number | null): string {
  return share === null ? "-" : `${(share * 100).toFixed(1)} %`;
}

/** A number with four decimals. */
export function figure(value: number | null): string {
  return value === null ? "-" : value.toFixed(4);
}

/** How many times one is the other. */
export function times(ratio: number | null): string {
  return ratio === null ? "-" : `${ratio.toFixed(1)} x`;
}
