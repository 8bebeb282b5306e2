/** Too many questions wait already; this one is refused. */
export class TooManyWaiting extends Error {
  override readonly name = "TooManyWaiting";
}

export interface BatchLimits {
  /** Questions of one batch. */
  readonly maxBatch: number;
  /** Questions that wait for a batch. */
  readonly maxWaiting: number;
  /** Batches that are asked at the same time. */
  readonly maxInFlight: number;
  /** Milliseconds from the start of one batch to that of the next, at least (docs/decisions/012). */
  readonly minIntervalMs: number;
}

interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(failure: unknown): void;
}

/**
 * Asks one by one what `ask` answers for many at once: questions that come soon after a batch, or while as many batches
 * are on their way as there may be, go together with the next. A batch that fails, fails for all of it.
 * @throws {TooManyWaiting}
 */
export function batched<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  { maxBatch, maxWaiting, maxInFlight, minIntervalMs }: BatchLimits,
): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = [];
  let inFlight = 0;
  let isGathering = false;
  let startedAt = Number.NEGATIVE_INFINITY;

  const askWaiting = async (): Promise<void> => {
    const batch = waiting.slice(0, maxBatch);
    waiting = waiting.slice(maxBatch);
    inFlight += 1;
    startedAt = performance.now();
    if (waiting.length > 0) gather();
    try {
      const answers = await ask(batch.map(({ question }) => question));
      for (const [index, { resolve, reject }] of batch.entries()) {
        if (index < answers.length) resolve(answers[index] as Answer);
        else reject(new Error("A question of a batch was not answered"));
      }
    } catch (failure) {
      for (const { reject } of batch) reject(failure);
    }
    inFlight -= 1;
    if (waiting.length > 0) gather();
  };

  /** Starts a batch as soon as the limits allow, but not within this turn of the event loop, whose questions share it. */
  const gather = (): void => {
    if (isGathering || inFlight >= maxInFlight) return;
    isGathering = true;
    const start = (): void => {
      const left = startedAt + minIntervalMs - performance.now();
      // A timer may fire early by this clock, so its end is looked at again.
      if (left > 0) {
        setTimeout(start, left);
        return;
      }
      isGathering = false;
      void askWaiting();
    };
    setImmediate(start);
  };

  return (question) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) {
        reject(new TooManyWaiting(`${maxWaiting} questions wait already`));
        return;
      }
      waiting.push({ question, resolve, reject });
      gather();
    });
}
