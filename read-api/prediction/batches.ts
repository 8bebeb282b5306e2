import { problems } from "../../infra/http/problem.ts";

/** Too many questions wait already; none of them was asked. */
export class TooManyWaiting extends Error {
  override readonly name = "TooManyWaiting";
  readonly problem = problems.overloaded;
}

export interface BatchLimits {
  /** Questions of one batch. */
  readonly maxBatch: number;
  /** Questions that wait for a batch. */
  readonly maxWaiting: number;
  /** Batches that are asked at the same time. */
  readonly maxInFlight: number;
}

interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(failure: unknown): void;
}

/**
 * Asks one by one what `ask` answers for many at once: questions that come while as many batches are on their way as
 * there may be go together with the next (no timer). A batch that fails, fails for all of it.
 * @throws {TooManyWaiting}
 */
export function inBatches<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  { maxBatch, maxWaiting, maxInFlight }: BatchLimits,
): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = [];
  let inFlight = 0;

  const askNext = async (): Promise<void> => {
    inFlight += 1;
    // Whoever asks in the same turn goes along.
    await null;
    const batch = waiting.slice(0, maxBatch);
    waiting = waiting.slice(maxBatch);
    try {
      const answers = batch.length === 0 ? [] : await ask(batch.map(({ question }) => question));
      for (const [index, { resolve, reject }] of batch.entries()) {
        if (index < answers.length) resolve(answers[index] as Answer);
        else reject(new Error("A question of a batch was not answered"));
      }
    } catch (failure) {
      for (const { reject } of batch) reject(failure);
    }
    inFlight -= 1;
    if (waiting.length > 0) void askNext();
  };

  return (question) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) {
        reject(new TooManyWaiting(`${maxWaiting} questions wait already`));
        return;
      }
      waiting.push({ question, resolve, reject });
      if (inFlight < maxInFlight) void askNext();
    });
}
