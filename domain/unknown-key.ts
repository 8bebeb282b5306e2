import { type Fault, fault, type Message, type Path } from "./fault.ts";
import { nearestName } from "./values/nearest.ts";
import { firstCharacters } from "./values/text.ts";

/** Characters of an unknown key in the text of its fault. */
const maxNameLength = 64;

/**
 * The fault of a key that is not known, which names it and the known one that it probably means. The message of the code
 * has the placeholders `name` and `suggestion`.
 */
export function unknownKey<Code extends string>(
  code: Code,
  path: Path,
  key: string,
  known: readonly string[] = [],
): Fault<Code> {
  return fault(code, path, { name: firstCharacters(key, maxNameLength), suggestion: suggestionOf(key, known) });
}

/** The fault of a value that is none of a few, which lists them and names the one that it probably means. */
export function notOneOf(path: Path, value: unknown, values: readonly string[]): Fault<"not_allowed.one_of"> {
  const suggestion = typeof value === "string" ? suggestionOf(value, values) : "";
  return fault("not_allowed.one_of", path, { values, suggestion });
}

function suggestionOf(key: string, known: readonly string[]): "" | Message {
  const nearest = nearestName(key, known);
  return nearest === null ? "" : { code: "did_you_mean", params: { nearest } };
}
