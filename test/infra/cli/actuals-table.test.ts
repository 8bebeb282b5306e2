import { suite } from "uvu";
import * as assert from "uvu/assert";
import { actualsTable } from "../../../infra/cli/actuals-table.ts";

const table = suite("the table of an actuals report");

table("rounds only ratios, to meaningful digits", () => {
  const metrics = ["ctr", "roas", "cost_channel"];
  const pageOf = (values: readonly (readonly [value: string, viewFormat?: string])[]) => {
    const cells = values.map(
      ([value, viewFormat], index) =>
        `"${metrics[index]}":{"value":${value},"isMasked":false,"viewFormat":${JSON.stringify(viewFormat ?? null)}}`,
    );
    return `{"actuals":{"data":{"rows":[{"groupBys":["kakao"],"values":{${cells.join(",")}}}]}}}`;
  };
  const numbersOf = (...values: readonly (readonly [string, string?])[]) =>
    actualsTable(pageOf(values), { groupBys: ["channel"], metrics }).rows[0]?.numbers;
  const long = "1234567890123.123456789";
  assert.equal(numbersOf(["0.016666666666666666"], ["159.166666666"], [long]), ["0.0167", "159.17", long]);
  assert.equal(numbersOf(["0.5"], ["100.0"], ["0.1234567"]), ["0.5", "100", "0.1234567"]);
  assert.equal(numbersOf(["0.00001234"], ["-0.00999"], ["1"]), ["0.000012", "-0.01", "1"]);
  assert.equal(numbersOf(["0.25", "0.253333+"], ["null", "0+"], ["12.50"]), ["0.2533+", "0+", "12.50"]);
  assert.equal(numbersOf(["0.0"], ["0.000000"], ["0.0"]), ["0", "0", "0.0"]);
  assert.equal(numbersOf(["1"], ["null"], ["null"]), ["1", "", ""]);
});

table.run();
