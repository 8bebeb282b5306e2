import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkRawExport } from "../../../domain/raw-exports/export-query.ts";
import { inShort } from "../../support/faults.ts";

const today = "2026-06-30";
const faultsOf = (start: string, end: string) => {
  const checked = checkRawExport(
    "app",
    { dateRange: { start, end }, events: ["app_install"], properties: ["event_id"] },
    today,
  );
  return checked.outcome === "valid" ? [] : inShort(checked.faults);
};
const wrongStart = [["dateRange", "start", "out_of_range"]];
const wrongEnd = [["dateRange", "end", "out_of_range"]];

const range = suite("the range of an export");

range("is 31 days at most from start to end", () => {
  assert.equal(faultsOf("2026-05-01 12:00:00", "2026-06-01 11:59:59"), []);
  assert.equal(faultsOf("2026-05-01 12:00:00", "2026-06-01 12:00:00"), []);
  assert.equal(faultsOf("2026-05-01 12:00:00", "2026-06-01 12:00:01"), wrongEnd);
});

range("is measured on the clock, also where a zone changes it meanwhile", () => {
  assert.equal(faultsOf("2026-03-01 00:00:00", "2026-04-01 00:00:00"), []);
  assert.equal(faultsOf("2026-03-01 00:00:00", "2026-04-01 00:00:01"), wrongEnd);
});

range("begins at most 179 days ago, at any time of that date", () => {
  assert.equal(faultsOf("2026-01-03 00:00:00", "2026-01-04 00:00:00"), []);
  assert.equal(faultsOf("2026-01-02 00:00:00", "2026-01-04 00:00:00"), []);
  assert.equal(faultsOf("2026-01-01 23:59:59", "2026-01-04 00:00:00"), wrongStart);
});

range("ends today at the latest, also later than it is now", () => {
  assert.equal(faultsOf("2026-06-29 00:00:00", "2026-06-29 23:59:59"), []);
  assert.equal(faultsOf("2026-06-29 00:00:00", "2026-06-30 23:59:59"), []);
  assert.equal(faultsOf("2026-06-29 00:00:00", "2026-07-01 00:00:00"), wrongEnd);
  assert.equal(faultsOf("2026-07-01 00:00:00", "2026-07-01 00:00:00"), wrongEnd);
});

range("may be one second, not less", () => {
  assert.equal(faultsOf("2026-06-30 08:00:00", "2026-06-30 08:00:00"), []);
  assert.equal(faultsOf("2026-06-30 08:00:01", "2026-06-30 08:00:00"), wrongStart);
  assert.equal(faultsOf("2026-06-30 00:00:00", "2026-06-29 23:59:59"), wrongStart);
});

range("takes the last day of February for what it is", () => {
  assert.equal(faultsOf("2026-02-28 23:59:59", "2026-03-01 00:00:00"), []);
});

const unreal = [
  ...["2026-06-01 24:00:00", "2026-06-01 23:60:00", "2026-06-01 23:59:60", "2026-06-01 99:00:00"],
  ...[
    "2026-02-29 00:00:00",
    "2026-02-30 00:00:00",
    "2026-06-31 00:00:00",
    "2026-13-01 00:00:00",
    "2026-00-10 00:00:00",
  ],
  ...["2026-6-1 00:00:00", "2026-06-01 0:00:00", "2026-06-01 00:00", "2026-06-01", "26-06-01 00:00:00"],
  ...[
    "2026-06-01 00:00:00 ",
    " 2026-06-01 00:00:00",
    "2026-06-01  00:00:00",
    "2026-06-01 00:00:00\n",
    "2026-06-01\t00:00:00",
  ],
  ...["2026-06-01T00:00:00", "2026-06-01 00:00:00Z", "2026-06-01 00:00:00.0", "2026-06-01 00:00:00+09:00"],
  ...[
    "0000-06-01 00:00:00",
    "+02026-06-01 00:00",
    "２０２６-06-01 00:00:00",
    "2026/06/01 00:00:00",
    "today",
    "",
    "1780272000",
  ],
];
for (const text of unreal) {
  range(`cannot begin or end at ${JSON.stringify(text)}`, () => {
    assert.equal(faultsOf(text, "2026-06-30 00:00:00"), [["dateRange", "start", "wrong_format"]]);
    assert.equal(faultsOf("2026-06-01 00:00:00", text), [["dateRange", "end", "wrong_format"]]);
  });
}

range.run();
