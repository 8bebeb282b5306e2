import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cachedHashKey, hashKey } from "../../projections/hash-key.ts";

const keys = suite("keys of texts");

for (const length of [0, 1, 511, 512, 513, 100_000]) {
  keys(`are the same with and without the cache: ${length} characters`, () => {
    const text = "한".repeat(length);
    assert.equal([cachedHashKey(text), cachedHashKey(text)], [hashKey(text), hashKey(text)]);
  });
}

keys("do not keep long texts in memory", () => {
  const before = process.memoryUsage().heapUsed;
  for (let number = 0; number < 20_000; number += 1) cachedHashKey(`${number} ${"x".repeat(16_384)}`);
  assert.ok(process.memoryUsage().heapUsed - before < 150e6);
});

keys.run();
