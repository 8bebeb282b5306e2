/** Maximum bins of a feature; the number of a bin fits into a byte. */
const maxBins = 64;

/** A feature cut into bins at quantiles of its values. */
export interface BinnedFeature {
  /** Increasing; bin `b` holds what is above `edges[b - 1]` and not above `edges[b]`, the last bin the rest. */
  readonly edges: readonly number[];
  /** Of every row. */
  readonly bins: Uint8Array;
}

/** Cuts each column of the rows; edges are values that occur among the rows in `chosen`, so a float32 can be one. */
export function binFeatures(rows: Float32Array, width: number, chosen: Uint32Array): readonly BinnedFeature[] {
  return Array.from({ length: width }, (_, feature) => {
    const values = Float32Array.from(chosen, (row) => rows[row * width + feature] ?? 0).sort();
    const edges = edgesOf(values);
    const bins = new Uint8Array(rows.length / width);
    for (let row = 0; row < bins.length; row += 1) bins[row] = binOf(rows[row * width + feature] ?? 0, edges);
    return { edges, bins };
  });
}

/** At most 63 evenly spaced values of the sorted ones, without the largest, above which no value lies. */
function edgesOf(sorted: Float32Array): readonly number[] {
  const distinct = new Set(sorted);
  if (distinct.size <= maxBins) return [...distinct].slice(0, -1);
  const edges = new Set<number>();
  for (let cut = 1; cut < maxBins; cut += 1) {
    edges.add(sorted[Math.floor((cut * sorted.length) / maxBins)] ?? 0);
  }
  edges.delete(sorted.at(-1) ?? 0);
  return [...edges];
}

/** How many edges lie below a value. */
export function binOf(value: number, edges: readonly number[]): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edges[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
