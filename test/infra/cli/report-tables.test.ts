import { suite } from "uvu";
import * as assert from "uvu/assert";
import { actualsTable, roundedRatio } from "../../../infra/cli/report-tables.ts";

const table = suite("the table of a report");

table("rounds only ratios, to meaningful digits", () => {
  const columns = ["channel", "ctr", "roas", "cost_channel", "clicks"];
  assert.equal(
    columns.filter((column) => actualsTable.isRatio(column, {})),
    ["ctr", "roas"],
  );
  for (const [number, rounded] of [
    ["0.016666666666666666", "0.0167"],
    ["159.166666666", "159.17"],
    ["0.5", "0.5"],
    ["100.0", "100"],
    ["0.00001234", "0.000012"],
    ["-0.00999", "-0.01"],
    ["0.253333+", "0.2533+"],
    ["0+", "0+"],
    ["0.0", "0"],
    ["1", "1"],
    ["", ""],
  ] as const)
    assert.is(roundedRatio(number), rounded);
});

table.run();
