import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isCellFault, type ReadCell, type UploadRules } from "../../../domain/uploads/cells/cell.ts";
import { readDate } from "../../../domain/uploads/cells/date.ts";
import { readCost, readEventValue, readWholeNumber } from "../../../domain/uploads/cells/number.ts";
import { isLocalDate } from "../../../domain/values/local-time.ts";

const rules: UploadRules = {
  dates: { from: "0000-00-00", to: "9999-99-99" },
  isCurrency: () => true,
  isCountryCode: () => true,
  isChannelName: () => true,
  isReservedChannel: () => false,
  channelNamed: () => null,
  channelShownAs: () => null,
  isReportMetric: () => false,
};

/** Texts that are nearly valid, and any others. */
const almost = (characters: string, maxLength: number) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength }) },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength }) },
  );

function assertTakesAsRule(read: ReadCell, texts: fc.Arbitrary<string>, isRight: (text: string) => boolean): void {
  fc.assert(
    fc.property(texts, (text) => {
      assert.is(!isCellFault(read(text, rules)), isRight(text), JSON.stringify(text));
    }),
    { numRuns: 5_000 },
  );
}

const cells = suite("cells read character by character take what a rule in words takes");

cells("dates", () => {
  const digits = (most: number, length: number) =>
    fc.nat({ max: most }).map((number) => String(number).padStart(length, "0"));
  const dates = fc.tuple(digits(9999, 4), digits(14, 2), digits(33, 2)).map((parts) => parts.join("-"));
  assertTakesAsRule(readDate, fc.oneof(dates, almost("0123456789-", 11)), isLocalDate);
});

cells("whole numbers", () => {
  const near = fc.bigInt({ min: 2n ** 53n - 50n, max: 2n ** 53n + 50n }).map(String);
  const isWhole = (text: string): boolean => /^[0-9]+$/.test(text) && BigInt(text) < 2n ** 53n;
  assertTakesAsRule(readWholeNumber, fc.oneof(near, almost("0123456789,.-", 18)), isWhole);
  fc.assert(
    fc.property(fc.maxSafeNat(), (number) => {
      assert.is(readWholeNumber(String(number), rules), number);
    }),
  );
});

cells("costs", () => {
  assertTakesAsRule(readCost, almost("01.,-", 10), (text) => /^[0-9]+(\.[0-9]{1,6})?$/.test(text));
});

cells("values of events", () => {
  assertTakesAsRule(readEventValue, almost("01.,-", 10), (text) => /^-?[0-9]+(\.[0-9]+)?$/.test(text));
});

cells.run();
