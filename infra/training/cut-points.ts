const cutPointCount = 9;

/**
 * The nine cut points q10 to q90 of float32 probabilities (contract/prediction.md#tiers) by nearest rank, so that each is
 * one of the probabilities; as the shortest decimals that round to the same float32.
 */
export function cutPointsOf(probabilities: Float32Array): readonly number[] {
  return decilesOf(probabilities).map(shortestFloat32);
}

/** The nine deciles of the values by nearest rank. */
export function decilesOf(values: Float32Array): readonly number[] {
  const sorted = values.slice().sort();
  return Array.from(
    { length: cutPointCount },
    (_, index) => sorted[Math.ceil(((index + 1) * sorted.length) / (cutPointCount + 1)) - 1] ?? 0,
  );
}

/** The number with the fewest decimal digits that rounds to the same float32. */
export function shortestFloat32(value: number): number {
  for (let digits = 1; digits < 9; digits += 1) {
    const shortened = Number(value.toPrecision(digits));
    if (Math.fround(shortened) === Math.fround(value)) return shortened;
  }
  return Number(value.toPrecision(9));
}
