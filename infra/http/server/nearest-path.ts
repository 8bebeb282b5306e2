import { nearestName } from "../../../domain/values/nearest-name.ts";

/** Maximum length of a path for which a similar one is searched; the response contains both. */
const maxLength = 256;

/**
 * The path that was probably meant by one that no route serves, which differs by one misspelled segment; null for none.
 * @param known paths in the syntax of Express
 */
export function nearestPath(path: string, known: readonly string[]): string | null {
  if (path.length > maxLength) return null;
  const segments = path.split("/");
  for (const [place, segment] of segments.entries()) {
    const candidates = known
      .map((one) => one.split("/"))
      .filter(
        (one) =>
          one.length === segments.length && one.every((name, index) => index === place || fits(name, segments[index])),
      )
      .flatMap((one) => one[place] ?? [])
      .filter((name) => !isParameter(name));
    const nearest = nearestName(segment, candidates);
    if (nearest !== null) return segments.with(place, nearest).join("/");
  }
  return null;
}

function fits(name: string, segment: string | undefined): boolean {
  return isParameter(name) || name === segment;
}

function isParameter(name: string): boolean {
  return name.startsWith(":");
}
