import type { UploadReason } from "./events.ts";

/** The faults of one file, collected while it is read. */
export interface FaultList {
  /** A fault of a column, or of the whole file under `wholeFile`. */
  add(column: string, fault: string): void;
  /** A fault of one row's cell; rows with the same fault are reported together. */
  addOfRow(column: string, fault: string, row: number): void;
  isEmpty(): boolean;
  /** Texts by column in the order in which they were found (contract/uploads.md#format). */
  reason(): UploadReason;
}

/** The key in {@link UploadReason} of faults of the whole file. */
export const wholeFile = "file";

/** Maximum row numbers in one text. */
const maxNamed = 20;

interface Rows {
  readonly first: number[];
  count: number;
}

/**
 * Equal faults of one column become one text, so that a file of 200,000 bad rows has a short reason. The texts of a column
 * stay below the limit of 20 (contract/uploads.md#format), as no column has more rules.
 */
export function createFaultList(): FaultList {
  const columns = new Map<string, Map<string, Rows>>();

  const rowsWith = (column: string, fault: string): Rows => {
    const rows = columns.get(column)?.get(fault);
    if (rows !== undefined) return rows;
    const none: Rows = { first: [], count: 0 };
    columns.set(column, (columns.get(column) ?? new Map<string, Rows>()).set(fault, none));
    return none;
  };

  return {
    add: (column, fault) => {
      rowsWith(column, fault);
    },
    addOfRow: (column, fault, row) => {
      const rows = rowsWith(column, fault);
      rows.count += 1;
      if (rows.first.length < maxNamed) rows.first.push(row);
    },
    isEmpty: () => columns.size === 0,
    // From entries, as a column can be called __proto__.
    reason: () =>
      Object.fromEntries(
        Array.from(columns, ([column, faults]) => [column, Array.from(faults, ([fault, rows]) => withRows(fault, rows))]),
      ),
  };
}

/** `row 3: must not be blank`; `rows 3, 4, 9: ...`; `rows 3, 4, ..., 40 and 1,960 more: ...`. */
function withRows(fault: string, { first, count }: Rows): string {
  if (count === 0) return fault;
  const more = count - first.length;
  const rest = more === 0 ? "" : ` and ${more.toLocaleString("en")} more`;
  return `${count === 1 ? "row" : "rows"} ${first.join(", ")}${rest}: ${fault}`;
}
