import type { ModelName } from "../../domain/prediction/events.ts";
import type { Effect } from "./effects.ts";
import type { Quality } from "./outcomes.ts";

/** What training says of one model. */
export interface ModelReport {
  readonly cutPoints: readonly number[];
  readonly steps: number;
  /** On the installs that it was not fitted to. */
  readonly heldOut: Quality;
  /** On all installs, those that it was fitted to among them. */
  readonly whole: Quality;
  readonly effects: readonly Effect[];
}

/** What training says of a bundle: `report.json`. */
export interface TrainingReport {
  readonly app: string;
  readonly bundleId: string;
  /** ISO 8601. */
  readonly trainedAt: string;
  readonly seed: number;
  readonly installs: {
    readonly inLog: number;
    /** Not older than 10 days. */
    readonly tooYoung: number;
    /** With a feature that is no finite float32. */
    readonly outOfRange: number;
    readonly used: number;
    /** Of those used: the four fifths that the models were fitted to, and the rest. */
    readonly trained: number;
    readonly heldOut: number;
  };
  readonly models: { readonly [name in ModelName]: ModelReport };
}
