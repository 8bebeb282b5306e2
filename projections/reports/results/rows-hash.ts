import { createHash } from "node:crypto";
import type { StoredRow } from "./stored-rows.ts";

/** The hash over a result that `ReportSucceeded` has: over its rows in order, then its total. */
export interface RowsHash {
  add(row: StoredRow): void;
  /**
   * SHA-256, hex.
   * @param total JSON; null when the report has no such row
   */
  digest(total: string | null): string;
}

export function rowsHash(): RowsHash {
  const hash = createHash("sha256");
  return {
    add: ({ groupBys, cells }) => {
      hash.update(`{"groupBys":${JSON.stringify(groupBys)},${cells.slice(1)}\n`);
    },
    digest: (total) => hash.update(total ?? "null").digest("hex"),
  };
}
