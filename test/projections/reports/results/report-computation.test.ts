import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { computedReport } from "../../../../projections/reports/results/report-computation.ts";

const found = { maskingReasons: 0, withheld: [], exceeded: null, missingRates: [] };
const computed = suite("a computed report");

computed("has its rows as they are stored, and a hash over them and the total", async () => {
  const rows = [
    { groupBys: ["봄", null], values: ["1", null] },
    { groupBys: ["", '"'], values: ["2.5", "0"] },
  ];
  const { stored, rowsHash } = await computedReport(
    { onlyChannels: null },
    { ...found, rows, total: { values: ["3.5"] } },
  );
  assert.equal(stored, [
    { groupBys: ["봄", null], cells: '{"values":["1",null]}' },
    { groupBys: ["", '"'], cells: '{"values":["2.5","0"]}' },
  ]);
  const hashed = [...rows.map((row) => `${JSON.stringify(row)}\n`), '{"values":["3.5"]}'].join("");
  assert.is(rowsHash, createHash("sha256").update(hashed).digest("hex"));
});

computed("is written in turns: other work of the process is done between its rows", async () => {
  let turns = 0;
  const work = (): void => {
    turns += 1;
    next = setImmediate(work);
  };
  let next = setImmediate(work);
  const slow = {
    toJSON: () => {
      const until = performance.now() + 25;
      while (performance.now() < until);
      return turns;
    },
  };
  const rows = [1, 2, 3].map(() => ({ groupBys: [], values: slow }));
  const { stored } = await computedReport({ onlyChannels: null }, { ...found, rows });
  clearImmediate(next);
  assert.is(new Set(stored.map(({ cells }) => cells)).size, 3);
});

computed.run();
