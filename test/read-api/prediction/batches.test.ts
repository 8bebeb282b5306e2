import { suite } from "uvu";
import * as assert from "uvu/assert";
import { batched, TooManyWaiting } from "../../../read-api/prediction/batches.ts";

/** Batches that wait to be answered by hand. */
function held() {
  const batches: { readonly questions: readonly number[]; answer(): void; fail(failure: Error): void }[] = [];
  const ask = (questions: readonly number[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      batches.push({ questions, answer: () => resolve(questions.map((one) => `answer ${one}`)), fail: reject });
    });
  /** The batch of a number, once it is asked. */
  const asked = async (number: number) => {
    for (;;) {
      const batch = batches[number];
      if (batch !== undefined) return batch;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { batches, asked, ask };
}

const batching = suite("questions in batches");

batching("are asked together when they come in one turn, and each gets its own answer", async () => {
  const { batches, asked, ask } = held();
  const answerTo = batched(ask, { maxBatch: 10, maxWaiting: 10, maxInFlight: 1, minIntervalMs: 0 });
  const answers = [answerTo(1), answerTo(2), answerTo(3)];
  (await asked(0)).answer();
  assert.equal(await Promise.all(answers), ["answer 1", "answer 2", "answer 3"]);
  assert.equal(
    batches.map(({ questions }) => questions),
    [[1, 2, 3]],
  );
});

batching(
  "wait while as many batches are on their way as there may be, and then go together, so many at most",
  async () => {
    const { batches, asked, ask } = held();
    const answerTo = batched(ask, { maxBatch: 2, maxWaiting: 10, maxInFlight: 1, minIntervalMs: 0 });
    const first = answerTo(1);
    await asked(0);
    const others = [2, 3, 4].map(answerTo);
    (await asked(0)).answer();
    await first;
    (await asked(1)).answer();
    (await asked(2)).answer();
    await Promise.all(others);
    assert.equal(
      batches.map(({ questions }) => questions),
      [[1], [2, 3], [4]],
    );
  },
);

batching("fail together, and those behind them go on", async () => {
  const { asked, ask } = held();
  const answerTo = batched(ask, { maxBatch: 10, maxWaiting: 10, maxInFlight: 1, minIntervalMs: 0 });
  const failed = Promise.allSettled([answerTo(1), answerTo(2)]);
  await asked(0);
  const next = answerTo(3);
  (await asked(0)).fail(new Error("away"));
  assert.equal(
    (await failed).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  (await asked(1)).answer();
  assert.is(await next, "answer 3");
});

batching("are refused beyond as many as may wait", async () => {
  const { asked, ask } = held();
  const answerTo = batched(ask, { maxBatch: 10, maxWaiting: 2, maxInFlight: 1, minIntervalMs: 0 });
  const first = answerTo(0);
  await asked(0);
  const waiting = [answerTo(1), answerTo(2)];
  const refused = await answerTo(3).catch((failure: unknown) => failure);
  assert.instance(refused, TooManyWaiting);
  (await asked(0)).answer();
  await first;
  (await asked(1)).answer();
  assert.equal(await Promise.all(waiting), ["answer 1", "answer 2"]);
});

batching("that soon follow a batch wait until it is so long ago, and then go together", async () => {
  const started: number[] = [];
  const answerTo = batched(
    async (questions: readonly number[]) => {
      started.push(performance.now());
      return questions.map((one) => [one, questions.length]);
    },
    { maxBatch: 10, maxWaiting: 10, maxInFlight: 1, minIntervalMs: 200 },
  );
  const asked = performance.now();
  assert.equal(await answerTo(1), [1, 1]);
  const second = answerTo(2);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await Promise.all([second, answerTo(3)]), [
    [2, 2],
    [3, 2],
  ]);
  const [, next = 0] = started;
  assert.ok(next - asked >= 200, `the second batch came after ${next - asked} ms`);
});

batching("are on their way in as many batches as there may be, and each that ends lets one more go", async () => {
  const { batches, asked, ask } = held();
  const answerTo = batched(ask, { maxBatch: 2, maxWaiting: 10, maxInFlight: 2, minIntervalMs: 0 });
  const answers = [1, 2, 3, 4, 5].map(answerTo);
  await asked(1);
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(
    batches.map(({ questions }) => questions),
    [
      [1, 2],
      [3, 4],
    ],
  );
  (await asked(1)).answer();
  assert.equal(await Promise.all(answers.slice(2, 4)), ["answer 3", "answer 4"]);
  assert.equal((await asked(2)).questions, [5]);
  for (const batch of [0, 2]) (await asked(batch)).answer();
  assert.equal(
    await Promise.all(answers),
    [1, 2, 3, 4, 5].map((one) => `answer ${one}`),
  );
});

batching.run();
