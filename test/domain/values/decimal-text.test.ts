import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decimalText } from "../../../domain/values/decimals.ts";

const exact = suite("the decimal text of a JSON number");

exact("is what was sent, where that was the shortest", () => {
  const sent = ["0", "1", "-1", "0.1", "19.99", "-0.005", "9007199254740991", "123456789.123456"];
  assert.equal(
    sent.map((text) => decimalText(JSON.parse(text))),
    sent,
  );
});

exact("has no exponent and no negative zero", () => {
  assert.equal([-0, 1e21, -1.5e21, 1e-7, -1.25e-9, 1.2345e22].map(decimalText), [
    "0",
    "1000000000000000000000",
    "-1500000000000000000000",
    "0.0000001",
    "-0.00000000125",
    "12345000000000000000000",
  ]);
});

exact("reads back as the same number, whatever the number", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = decimalText(value);
      assert.match(text, /^-?\d+(\.\d+)?$/);
      assert.is(Number(text), value === 0 ? 0 : value);
    }),
  );
});

exact("is refused to what is not finite", () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => decimalText(value), RangeError);
});

exact.run();
