const maxLength = 48;
/** Shorter words are parts of too many names. */
const minWordLength = 3;

/**
 * The candidate that a name probably means: the {@link nearestSpelling}; otherwise the one of the fewest words that has the
 * name as a word, such as `app_installs` for `installs`, whatever its case and a final `s`; null if several have as few.
 */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  return nearestSpelling(name, candidates) ?? simplestWithWord(name, candidates);
}

/**
 * The candidate with the fewest changed, missing, extra or swapped characters, at most a third of the name; null if none is
 * that close. Case and word separators are ignored.
 */
export function nearestSpelling(name: string, candidates: readonly string[]): string | null {
  if (name.length > maxLength) return null;
  const meant = normalised(name);
  let nearest: string | null = null;
  let best = Math.max(1, Math.floor(meant.length / 3)) + 1;
  for (const candidate of candidates) {
    const known = normalised(candidate);
    if (Math.abs(known.length - meant.length) >= best) continue;
    const distance = editDistance(meant, known);
    if (distance < best && distance < known.length) [nearest, best] = [candidate, distance];
  }
  return nearest;
}

function simplestWithWord(name: string, candidates: readonly string[]): string | null {
  if (name.length > maxLength) return null;
  const [word = "", ...further] = words(name);
  if (further.length > 0 || word.length < minWordLength) return null;
  const found = [...new Set(candidates)].filter((candidate) => words(candidate).includes(word));
  const fewest = Math.min(...found.map((candidate) => words(candidate).length));
  const [simplest = null, ...others] = found.filter((candidate) => words(candidate).length === fewest);
  return others.length === 0 ? simplest : null;
}

function words(name: string): readonly string[] {
  return name
    .toLowerCase()
    .split(/[_\-.:/ ]/)
    .map((word) => word.replace(/s$/, ""));
}

function normalised(name: string): string {
  return name.toLowerCase().replace(/[_\-. ]/g, "");
}

/** Damerau-Levenshtein distance (optimal string alignment). */
function editDistance(one: string, other: string): number {
  let twoAbove: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped && row > 1 && column > 1 ? (twoAbove[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [twoAbove, above] = [above, current];
  }
  return above[other.length] ?? 0;
}
