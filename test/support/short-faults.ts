import { type Fault, publicCode } from "../../domain/fault.ts";

/** A fault in short: its path, then the part of its code that clients see. */
export type ShortFault = readonly (string | number)[];

/** Faults in short: `["body", "name", "missing"]`. */
export function inShort(faults: readonly Fault[]): readonly ShortFault[] {
  return faults.map(({ path, code }) => [...path, publicCode(code)]);
}

interface ProblemBody {
  readonly code: string;
  readonly errors?: readonly { readonly loc: readonly (string | number)[]; readonly type: string }[];
}

/** `errors` of a problem in short, without texts: `["body", "name", "missing"]`. */
export function errorsOf({ json }: { readonly json: unknown }): readonly ShortFault[] {
  return ((json as ProblemBody | null)?.errors ?? []).map(({ loc, type }) => [...loc, type]);
}

/** A problem without its texts: status, code and `errors` in short. */
export function problemOf(response: { readonly status: number; readonly json: unknown }) {
  return { status: response.status, code: (response.json as ProblemBody).code, errors: errorsOf(response) };
}

/** A problem on one line: status, code and the locations of its errors, `422 VALIDATION_FAILED body.channel body.links.0`. */
export function refusalOf({ status, json }: { readonly status: number; readonly json: unknown }): string {
  const { code, errors = [] } = (json ?? {}) as Partial<ProblemBody>;
  return [status, code, ...errors.map(({ loc }) => loc.join("."))].filter((part) => part !== undefined).join(" ");
}
