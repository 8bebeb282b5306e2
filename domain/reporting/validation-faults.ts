import { type Fault, fault, type Path } from "../fault.ts";

/** A query as it is stored, or every fault of it. */
export type ValidatedQuery<Query> =
  | { readonly outcome: "valid"; readonly query: Query }
  | { readonly outcome: "invalid"; readonly faults: readonly Fault[] };

export function validated<Query>(faults: readonly Fault[], query: Query): ValidatedQuery<Query> {
  return faults.length > 0 ? { outcome: "invalid", faults } : { outcome: "valid", query };
}

/** The fault of a name that a report does not have. */
export function unknownKey(known: boolean, path: Path, kind: "group_by" | "metric"): readonly Fault[] {
  return known ? [] : [fault(`not_allowed.${kind}`, path)];
}
