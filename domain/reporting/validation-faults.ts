/** What is wrong with a query, and where in it. */
export interface QueryFault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** A query as it is stored, or every fault of it. */
export type ValidatedQuery<Query> =
  | { readonly outcome: "valid"; readonly query: Query }
  | { readonly outcome: "invalid"; readonly faults: readonly QueryFault[] };

export function validated<Query>(faults: readonly QueryFault[], query: Query): ValidatedQuery<Query> {
  return faults.length > 0 ? { outcome: "invalid", faults } : { outcome: "valid", query };
}

export function fault(loc: QueryFault["loc"], msg: string, type: string): QueryFault {
  return { loc, msg, type };
}

export function unknownKey(known: boolean, loc: QueryFault["loc"], what: string): readonly QueryFault[] {
  return known ? [] : [fault(loc, `is not a ${what} of this report`, "not_allowed")];
}
