import { column, words } from "./typed-columns.ts";

/** Lists of rows, each sorted by time, the latest first. */
export interface ListsByTime {
  /** Adds a row, which may be in one list. */
  insert(list: number, row: number): void;
  /** The rows of a list that are not later than `upTo`. */
  latestFirst(list: number, upTo: number): Iterable<number>;
}

/** Empty lists, linked in columns; `timeOf` returns the time of a row. */
export function listsByTime(timeOf: (row: number) => number): ListsByTime {
  /** The first row of each list, and the row after each row, plus 1; 0: none. */
  const firsts = column(words);
  const nexts = column(words);
  return {
    insert: (list, row) => {
      let before = 0;
      let next = firsts.get(list);
      while (next !== 0 && timeOf(next - 1) > timeOf(row)) {
        before = next;
        next = nexts.get(next - 1);
      }
      nexts.set(row, next);
      if (before === 0) firsts.set(list, row + 1);
      else nexts.set(before - 1, row + 1);
    },
    *latestFirst(list, upTo) {
      for (let next = firsts.get(list); next !== 0; next = nexts.get(next - 1)) {
        if (timeOf(next - 1) <= upTo) yield next - 1;
      }
    },
  };
}
