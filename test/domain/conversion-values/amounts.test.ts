import { suite } from "uvu";
import * as assert from "uvu/assert";
import { millionths } from "../../../domain/conversion-values/amounts.ts";

const amounts = suite("amounts of ranges");

amounts("are whole millionths from 0 to a billion", () => {
  const known: readonly (readonly [string, number | null])[] = [
    ["0", 0],
    ["0.000001", 1],
    ["12.5", 12_500_000],
    ["1000000000", 10 ** 15],
    ["999999999.999999", 10 ** 15 - 1],
    ["1000000000.000001", null],
    ["0.0000001", null],
    ["-1", null],
    ["1e3", null],
    ["", null],
    ["NaN", null],
  ];
  for (const [text, expected] of known) assert.is(millionths(text), expected, text);
});

amounts.run();
