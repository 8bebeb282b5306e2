import { type Fault, fault, type Path } from "./fault.ts";
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
  const nearest = nearestName(key, known);
  const suggestion = nearest === null ? "" : { code: "did_you_mean", params: { nearest } };
  return fault(code, path, { name: firstCharacters(key, maxNameLength), suggestion });
}
