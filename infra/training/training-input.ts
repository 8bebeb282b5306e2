import { columnNames, type Installs, trainingAgeMs } from "./installs.ts";

/** Installs that can be learned from: old enough, every feature within float32. */
export interface TrainingInput {
  readonly count: number;
  /** Rows of float32, as the models take them. */
  readonly rows: Float32Array;
  /** Epoch milliseconds. */
  readonly at: Float64Array;
  readonly purchased: Uint8Array;
  readonly churned: Uint8Array;
  /** 1: held out of training, by the install's id and the seed alone. */
  readonly heldOut: Uint8Array;
  /** 1: of the others, those by which the length of training is chosen. */
  readonly tuning: Uint8Array;
  /** Left out, as their labels do not stand yet. */
  readonly tooYoung: number;
  /** Left out, as a feature is no finite float32. */
  readonly outOfRange: number;
}

const parts = 5;

/** The input of training at `now` (epoch milliseconds): a fifth is held out, whatever order the log has. */
export function trainingInput(installs: Installs, now: number, seed: number): TrainingInput {
  const width = columnNames.length;
  const chosen: number[] = [];
  let tooYoung = 0;
  for (let install = 0; install < installs.count; install += 1) {
    if (now - (installs.at[install] ?? now) > trainingAgeMs) chosen.push(install);
    else tooYoung += 1;
  }
  const isUsable = (install: number): boolean =>
    installs.features
      .subarray(install * width, (install + 1) * width)
      .every((value) => Number.isFinite(Math.fround(value)));
  const usable = chosen.filter(isUsable);
  const rows = new Float32Array(usable.length * width);
  usable.forEach((install, row) => {
    rows.set(installs.features.subarray(install * width, (install + 1) * width), row * width);
  });
  const heldOut = Uint8Array.from(usable, (install) => (installs.hash(install, seed) % parts === 0 ? 1 : 0));
  return {
    count: usable.length,
    rows,
    at: Float64Array.from(usable, (install) => installs.at[install] ?? 0),
    purchased: Uint8Array.from(usable, (install) => installs.purchased[install] ?? 0),
    churned: Uint8Array.from(usable, (install) => installs.churned[install] ?? 0),
    heldOut,
    tuning: Uint8Array.from(usable, (install, row) =>
      heldOut[row] === 0 && Math.floor(installs.hash(install, seed) / parts) % parts === 0 ? 1 : 0,
    ),
    tooYoung,
    outOfRange: chosen.length - usable.length,
  };
}
