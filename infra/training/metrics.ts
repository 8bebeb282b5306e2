/** Logarithms of probabilities nearer to 0 or 1 than this would tell of one install alone. */
const leastProbability = 1e-7;

/**
 * The share of pairs of a 1 and a 0 in which the 1 has the higher probability, ties by half (the area under the ROC
 * curve); null when there is no such pair.
 */
export function areaUnderCurve(probabilities: ArrayLike<number>, labels: ArrayLike<number>): number | null {
  const order = Array.from(probabilities, (_, index) => index).sort(
    (one, other) => (probabilities[one] ?? 0) - (probabilities[other] ?? 0),
  );
  let ones = 0;
  let zeros = 0;
  let wins = 0;
  for (let first = 0; first < order.length; ) {
    const value = probabilities[order[first] ?? 0];
    let tiedOnes = 0;
    let tiedZeros = 0;
    for (; first < order.length && probabilities[order[first] ?? 0] === value; first += 1) {
      if (labels[order[first] ?? 0] === 1) tiedOnes += 1;
      else tiedZeros += 1;
    }
    wins += tiedOnes * (zeros + tiedZeros / 2);
    ones += tiedOnes;
    zeros += tiedZeros;
  }
  return ones === 0 || zeros === 0 ? null : wins / (ones * zeros);
}

/** The mean of -ln of the probability that was given to what happened; null of nothing. */
export function logLoss(probabilities: ArrayLike<number>, labels: ArrayLike<number>): number | null {
  let sum = 0;
  for (let index = 0; index < probabilities.length; index += 1) {
    const probability = probabilities[index] ?? 0;
    const given = labels[index] === 1 ? probability : 1 - probability;
    sum -= Math.log(Math.min(Math.max(given, leastProbability), 1));
  }
  return probabilities.length === 0 ? null : sum / probabilities.length;
}

/** The share of ones; null of nothing. */
export function rateOf(labels: ArrayLike<number>): number | null {
  let ones = 0;
  for (let index = 0; index < labels.length; index += 1) ones += labels[index] ?? 0;
  return labels.length === 0 ? null : ones / labels.length;
}
