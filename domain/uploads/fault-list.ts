import type { Fault, Message, Path } from "../fault.ts";

/** The faults of one file, collected while it is read. The path of a fault is its column, or empty: the whole file. */
export interface FaultList {
  add(fault: Fault): void;
  /** Rows with the same fault are reported together. */
  addOfRow(path: Path, fault: Message, row: number): void;
  isEmpty(): boolean;
  /** In the order in which they were found. Faults of rows have `rows` and `count` in `params`. */
  all(): readonly Fault[];
}

/** Maximum row numbers in one fault. */
const maxRows = 20;

/**
 * Collects faults. Equal faults of one column become one, so that a file of 200,000 invalid rows has few faults. A
 * column has at most 20 faults (contract/uploads.md#format), as no column has more rules.
 */
export function createFaultList(): FaultList {
  const found = new Map<string, { readonly fault: Fault; readonly rows: number[]; count: number }>();

  const entryOf = (path: Path, message: Message) => {
    const key = `${path} ${message.code}${message.params === undefined ? "" : JSON.stringify(message.params)}`;
    const known = found.get(key);
    if (known !== undefined) return known;
    const entry = { fault: { ...message, path }, rows: [], count: 0 };
    found.set(key, entry);
    return entry;
  };

  return {
    add: (fault) => {
      entryOf(fault.path, fault);
    },
    addOfRow: (path, fault, row) => {
      const entry = entryOf(path, fault);
      entry.count += 1;
      if (entry.rows.length < maxRows) entry.rows.push(row);
    },
    isEmpty: () => found.size === 0,
    all: () =>
      Array.from(found.values(), ({ fault, rows, count }) =>
        count === 0 ? fault : { ...fault, params: { ...fault.params, rows, count } },
      ),
  };
}
