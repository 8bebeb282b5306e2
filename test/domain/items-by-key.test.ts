import { suite } from "uvu";
import * as assert from "uvu/assert";
import { firstOfEach, itemsByKey, lastOfEach } from "../../domain/items-by-key.ts";

const grouping = suite("grouping by a key");

grouping("keeps the order of keys and of items", () => {
  const groups = itemsByKey([3, 1, 4, 1, 5, 9, 2, 6], (number) => (number % 2 === 0 ? "even" : "odd"));
  assert.equal(
    [...groups],
    [
      ["odd", [3, 1, 1, 5, 9]],
      ["even", [4, 2, 6]],
    ],
  );
});

grouping("has no groups without items", () => {
  assert.equal([...itemsByKey([], String)], []);
});

grouping("finds the first and the last item of each key, in the order of the keys", () => {
  const parity = (number: number) => number % 2;
  assert.equal(firstOfEach([3, 1, 4, 1, 6], parity), [3, 4]);
  assert.equal(lastOfEach([3, 1, 4, 1, 6], parity), [1, 6]);
});

grouping.run();
