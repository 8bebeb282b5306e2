import { itemsByKey } from "../../../domain/items-by-key.ts";
import { nearestName } from "../../../domain/values/nearest-name.ts";

/** Maximum length of a path for which a similar one is searched; the response contains both. */
const maxLength = 256;

/**
 * Returns a function that finds the path that was probably meant by one that no route serves: it differs by one
 * misspelled segment; null for none. Anybody may send unknown paths, so the known ones are split here, once.
 * @param known paths in the syntax of Express
 */
export function nearestPathOf(known: readonly string[]): (path: string) => string | null {
  const byLength = itemsByKey(
    known.map((path) => path.split("/")),
    ({ length }) => length,
  );
  return (path) => {
    if (path.length > maxLength) return null;
    const segments = path.split("/");
    const ofLength = byLength.get(segments.length);
    return ofLength === undefined ? null : nearestOf(segments, ofLength);
  };
}

/** @param known paths with as many segments */
function nearestOf(segments: readonly string[], known: readonly (readonly string[])[]): string | null {
  for (const [place, segment] of segments.entries()) {
    const candidates = known
      .filter((one) => one.every((name, index) => index === place || fits(name, segments[index])))
      .flatMap((one) => one[place] ?? [])
      .filter((name) => !isParameter(name));
    const nearest = nearestName(segment, candidates);
    if (nearest !== null) return segments.with(place, nearest).join("/");
  }
  return null;
}

function fits(name: string, segment: string | undefined): boolean {
  return isParameter(name) ? segment !== "" : name === segment;
}

function isParameter(name: string): boolean {
  return name.startsWith(":");
}
