import type { GroupByColumn } from "../facts/group-by-columns.ts";

/** Additional fields of each start or return: SQL by name, over `fact`, and the group-by columns that it reads. */
export interface EventFields {
  readonly columns: readonly GroupByColumn[];
  readonly fields: { readonly [name: string]: string };
}

export const noEventFields: EventFields = { columns: [], fields: {} };
