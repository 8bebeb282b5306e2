import { suite } from "uvu";
import * as assert from "uvu/assert";
import { batched, TooManyWaiting } from "../../../read-api/prediction/query-batches.ts";

/** Batches that the test ends. */
function held() {
  const batches: { readonly queries: readonly number[]; succeed(): void; fail(failure: Error): void }[] = [];
  const run = (queries: readonly number[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      batches.push({ queries, succeed: () => resolve(queries.map((one) => `answer ${one}`)), fail: reject });
    });
  /** The batch of a number, once it runs. */
  const batchOf = async (number: number) => {
    for (;;) {
      const batch = batches[number];
      if (batch !== undefined) return batch;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { batches, batchOf, run };
}

const batching = suite("queries in batches");

batching("of one turn run together, each with its own result", async () => {
  const { batches, batchOf, run } = held();
  const query = batched(run, { maxBatch: 10, maxWaiting: 10, maxInFlight: 1, minIntervalMs: 0 });
  const results = [query(1), query(2), query(3)];
  (await batchOf(0)).succeed();
  assert.equal(await Promise.all(results), ["answer 1", "answer 2", "answer 3"]);
  assert.equal(
    batches.map(({ queries }) => queries),
    [[1, 2, 3]],
  );
});

batching("wait while the maximum of batches is in flight, then run together up to the maximum", async () => {
  const { batches, batchOf, run } = held();
  const query = batched(run, { maxBatch: 2, maxWaiting: 10, maxInFlight: 1, minIntervalMs: 0 });
  const first = query(1);
  await batchOf(0);
  const others = [2, 3, 4].map(query);
  (await batchOf(0)).succeed();
  await first;
  (await batchOf(1)).succeed();
  (await batchOf(2)).succeed();
  await Promise.all(others);
  assert.equal(
    batches.map(({ queries }) => queries),
    [[1], [2, 3], [4]],
  );
});

batching("fail together, and later ones run", async () => {
  const { batchOf, run } = held();
  const query = batched(run, { maxBatch: 10, maxWaiting: 10, maxInFlight: 1, minIntervalMs: 0 });
  const failed = Promise.allSettled([query(1), query(2)]);
  await batchOf(0);
  const next = query(3);
  (await batchOf(0)).fail(new Error("away"));
  assert.equal(
    (await failed).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  (await batchOf(1)).succeed();
  assert.is(await next, "answer 3");
});

batching("are rejected beyond the maximum that may wait", async () => {
  const { batchOf, run } = held();
  const query = batched(run, { maxBatch: 10, maxWaiting: 2, maxInFlight: 1, minIntervalMs: 0 });
  const first = query(0);
  await batchOf(0);
  const waiting = [query(1), query(2)];
  const refused = await query(3).catch((failure: unknown) => failure);
  assert.instance(refused, TooManyWaiting);
  (await batchOf(0)).succeed();
  await first;
  (await batchOf(1)).succeed();
  assert.equal(await Promise.all(waiting), ["answer 1", "answer 2"]);
});

batching("wait for the minimum interval, then run together", async () => {
  const started: number[] = [];
  const query = batched(
    async (queries: readonly number[]) => {
      started.push(performance.now());
      return queries.map((one) => [one, queries.length]);
    },
    { maxBatch: 10, maxWaiting: 10, maxInFlight: 1, minIntervalMs: 200 },
  );
  const startedAt = performance.now();
  assert.equal(await query(1), [1, 1]);
  const second = query(2);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await Promise.all([second, query(3)]), [
    [2, 2],
    [3, 2],
  ]);
  const [, next = 0] = started;
  assert.ok(next - startedAt >= 200, `the second batch came after ${next - startedAt} ms`);
});

batching("run in the maximum of batches, and each that ends starts another", async () => {
  const { batches, batchOf, run } = held();
  const query = batched(run, { maxBatch: 2, maxWaiting: 10, maxInFlight: 2, minIntervalMs: 0 });
  const results = [1, 2, 3, 4, 5].map(query);
  await batchOf(1);
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(
    batches.map(({ queries }) => queries),
    [
      [1, 2],
      [3, 4],
    ],
  );
  (await batchOf(1)).succeed();
  assert.equal(await Promise.all(results.slice(2, 4)), ["answer 3", "answer 4"]);
  assert.equal((await batchOf(2)).queries, [5]);
  for (const batch of [0, 2]) (await batchOf(batch)).succeed();
  assert.equal(
    await Promise.all(results),
    [1, 2, 3, 4, 5].map((one) => `answer ${one}`),
  );
});

batching.run();
