import { type Fault, fault, type Message, type Path } from "./fault.ts";
import { nearestName } from "./values/nearest-name.ts";
import { firstCharacters } from "./values/text.ts";

/** Maximum characters of an unknown key in the text of its fault. */
const maxNameLength = 64;

/**
 * The fault of an unknown key, which names it and a similar known one. The message of the code has the placeholders
 * `name` and `suggestion`.
 */
export function unknownKey<Code extends string>(
  code: Code,
  path: Path,
  key: string,
  known: readonly string[] = [],
): Fault<Code> {
  return fault(code, path, { name: firstCharacters(key, maxNameLength), suggestion: suggestionOf(key, known) });
}

/** The fault of a value outside a short list, which has the list and the most similar value. */
export function notOneOf(path: Path, value: unknown, values: readonly string[]): Fault<"not_allowed.one_of"> {
  const suggestion = typeof value === "string" ? suggestionOf(value, values) : "";
  return fault("not_allowed.one_of", path, { values, suggestion });
}

/** The placeholder `suggestion` of a message: the most similar known key; empty if none is similar. */
export function suggestionOf(key: string, known: readonly string[]): "" | Message {
  const nearest = nearestName(key, known);
  return nearest === null ? "" : { code: "did_you_mean", params: { nearest } };
}
