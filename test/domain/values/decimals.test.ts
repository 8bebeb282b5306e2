import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  decimalText,
  decimalTextOf,
  exactDecimal,
  minus,
  plus,
  quotientText,
} from "../../../domain/values/decimals.ts";

const quotient = (one: string, other: string) => quotientText(exactDecimal(one), exactDecimal(other));

const decimals = suite("exact decimals");

decimals("keep every digit, and no zero at their end", () => {
  for (const [text, shown] of [
    ["0", "0"],
    ["-0.00", "0"],
    ["12.50", "12.5"],
    ["-0.010", "-0.01"],
    ["100", "100"],
    ["9007199254740993.000000000000000001", "9007199254740993.000000000000000001"],
  ] as const) {
    assert.is(decimalTextOf(exactDecimal(text)), shown);
  }
});

decimals("add and subtract as whole numbers do, whatever their scales", () => {
  const aNumber = fc.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 9 }));
  fc.assert(
    fc.property(aNumber, aNumber, ([units, scale], [otherUnits, otherScale]) => {
      const [one, other] = [
        { units, scale },
        { units: otherUnits, scale: otherScale },
      ];
      const exact = units * 10n ** BigInt(9 - scale) + otherUnits * 10n ** BigInt(9 - otherScale);
      assert.is(decimalTextOf(plus(one, other)), decimalTextOf({ units: exact, scale: 9 }));
      assert.is(decimalTextOf(minus(plus(one, other), other)), decimalTextOf(one));
    }),
  );
});

decimals("add at any difference of scales", () => {
  for (const scale of [62, 63, 64, 65]) {
    const least = `0.${"0".repeat(scale - 1)}1`;
    assert.is(decimalTextOf(plus(exactDecimal("-12"), exactDecimal(least))), `-11.${"9".repeat(scale)}`);
    assert.is(decimalTextOf(plus(exactDecimal("0"), exactDecimal(least))), least);
  }
});

decimals("divide to the nearest double, as a plain number", () => {
  assert.is(quotient("15", "2"), "7.5");
  assert.is(quotient("0.3", "0.1"), "3");
  assert.is(quotient("-1", "3"), "-0.3333333333333333");
  assert.is(quotient("0", "7"), "0");
  assert.is(quotient("1", "10000000"), "0.0000001");
  assert.is(quotient("1", "0"), null);
  assert.is(quotient("0", "0.00"), null);
});

decimals("divide to the nearest double where 20 digits do not tell which it is", () => {
  assert.is(quotient("-13", "885152214"), "-0.00000001468673951709734");
  // Halfway between two doubles: the even one, and the next one for anything more
  const halfway = String((2n ** 53n + 1n) * 5n ** 40n);
  assert.is(Number(quotient(halfway, String(10n ** 40n))), 2 ** 53 * 2 ** -40);
  assert.is(
    Number(quotient(`${halfway}.0000000000000000000000000000001`, String(10n ** 40n))),
    (2 ** 53 + 2) * 2 ** -40,
  );
});

decimals("divide beyond the largest double to a whole number", () => {
  const large = `1${"0".repeat(400)}`;
  assert.is(quotient(large, "2"), `5${"0".repeat(399)}`);
});

decimals("divide like doubles where these are exact", () => {
  const integer = fc.maxSafeInteger();
  fc.assert(
    fc.property(
      integer,
      integer.filter((other) => other !== 0),
      (one, other) => {
        assert.is(Number(quotient(String(one), String(other))), one === 0 ? 0 : one / other);
      },
    ),
    { numRuns: 1_000 },
  );
});

const exact = suite("the decimal text of a JSON number");

exact("is the sent text if that was the shortest", () => {
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

exact("throws for infinite numbers and NaN", () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => decimalText(value), RangeError);
});

decimals.run();
exact.run();
