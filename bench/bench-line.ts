/** One measured figure beside its limit from the same run. */
export interface BenchLine {
  readonly path: string;
  readonly measured: number;
  readonly unit: string;
  /** The same work without us, in the same unit; null when there is nothing to compare with. */
  readonly limit: number | null;
  /** Of measured to limit. */
  readonly ratio: number | null;
  /** In words. */
  readonly target: string;
  readonly met: boolean;
  readonly note?: string;
}
