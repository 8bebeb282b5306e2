/** A measured figure next to its limit from the same run. */
export interface BenchLine {
  readonly path: string;
  readonly measured: number;
  readonly unit: string;
  /** The same work without Touchledger, in the same unit; null when there is nothing to compare with. */
  readonly limit: number | null;
  /** Measured over limit. */
  readonly ratio: number | null;
  /** The target as text. */
  readonly target: string;
  readonly met: boolean;
  readonly note?: string;
}

type Figure = Pick<BenchLine, "path" | "measured" | "unit"> & { readonly note?: string };

/** A figure that must be below `max`, such as a latency or memory; `limit` is shown next to it. */
export function below(max: number, figure: Figure, limit: number | null = null): BenchLine {
  const target = `< ${max.toLocaleString("en")} ${figure.unit}`;
  const ratio = limit === null ? null : figure.measured / limit;
  return { ...figure, limit, ratio, target, met: figure.measured < max };
}

/** A rate that must be at least `min`; `limit` is shown next to it. */
export function atLeast(min: number, figure: Figure, limit: number | null = null): BenchLine {
  const target = `>= ${min.toLocaleString("en")} ${figure.unit}`;
  const ratio = limit === null ? null : figure.measured / limit;
  return { ...figure, limit, ratio, target, met: figure.measured >= min };
}

/** A rate that must be at least the share `minRatio` of `limit`, which `limitName` describes. */
export function shareOf(limit: number, limitName: string, minRatio: number, figure: Figure): BenchLine {
  const ratio = figure.measured / limit;
  return { ...figure, limit, ratio, target: `>= ${minRatio} of ${limitName}`, met: ratio >= minRatio };
}

/** The memory of a Node process, in MB, that must be below `max`. */
export function memoryBelow(
  max: number,
  path: string,
  { anonymous, resident }: { readonly anonymous: number; readonly resident: number },
  note = "",
): BenchLine {
  const mapped = `${resident} MB resident with mapped files`;
  return below(max, { path, measured: anonymous, unit: "MB", note: note === "" ? mapped : `${mapped}; ${note}` });
}
