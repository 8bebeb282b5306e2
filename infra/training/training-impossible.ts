import type { TrainingInput } from "./training-input.ts";

/** Minimum installs to train on. */
const minInstalls = 200;
/** Minimum installs with each value of each label. */
const minOfEachLabel = 20;

/** Training or checking is impossible; the message has the reason. */
export class TrainingImpossible extends Error {
  override readonly name = "TrainingImpossible";
}

/** @throws {TrainingImpossible} when an app has too few installs to train on, or too few of one label */
export function refuseTooFew(app: string, { count, purchased, churned, tooYoung }: TrainingInput): void {
  const young = tooYoung === 0 ? "" : ` ${tooYoung} more are not older than 10 days.`;
  if (count < minInstalls) {
    throw new TrainingImpossible(
      `${app} has ${count} installs to train on; training needs at least ${minInstalls}.${young}`,
    );
  }
  const sum = (labels: Uint8Array): number => labels.reduce((ones, label) => ones + label, 0);
  const counts = [
    [sum(purchased), "bought within 3 days"],
    [count - sum(purchased), "did not buy within 3 days"],
    [sum(churned), "were not used after 3 days"],
    [count - sum(churned), "were used after 3 days"],
  ] as const;
  for (const [installs, what] of counts) {
    if (installs >= minOfEachLabel) continue;
    throw new TrainingImpossible(
      `Of the ${count} installs of ${app}, ${installs} ${what}; training needs at least ${minOfEachLabel}.${young}`,
    );
  }
}
