import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addFilter, addKeys, exportRequestOf, momentAt } from "../../../infra/cli/export-options.ts";

const test = suite("options of touchledger export");

const filters: readonly (readonly [string, object])[] = [
  ["channel=newsletter,partner", { dimension: "channel", filterType: "IN", values: ["newsletter", "partner"] }],
  ["channel!=x", { dimension: "channel", filterType: "NOT IN", values: ["x"] }],
  ["campaign~=week *", { dimension: "campaign", filterType: "LIKE", values: ["week *"] }],
  ["campaign!~=text", { dimension: "campaign", filterType: "NOT LIKE", values: ["text"] }],
  ["campaign", { dimension: "campaign", filterType: "EXIST" }],
  ["!campaign", { dimension: "campaign", filterType: "NOT EXIST" }],
  ['campaign="a, b",c', { dimension: "campaign", filterType: "IN", values: ["a, b", "c"] }],
  ["campaign=a=b, c!", { dimension: "campaign", filterType: "IN", values: ["a=b", " c!"] }],
  ['campaign=5" screen', { dimension: "campaign", filterType: "IN", values: ['5" screen'] }],
  ["campaign=two\nlines", { dimension: "campaign", filterType: "IN", values: ["two\nlines"] }],
  ['campaign="=a"', { dimension: "campaign", filterType: "IN", values: ["=a"] }],
  ['campaign=""', { dimension: "campaign", filterType: "IN", values: [""] }],
];
for (const [text, filter] of filters) {
  test(`--filter ${JSON.stringify(text)}`, () => assert.equal(addFilter(text), [filter]));
}

for (const text of ["", "!", "=a", "!campaign=a", "campaign=", 'campaign="a', "campaign==a", "campaign!==a"]) {
  test(`--filter ${JSON.stringify(text)} is refused`, () => {
    assert.throws(
      () => addFilter(text),
      ({ code }: { code: string }) => code === "commander.invalidArgument",
    );
  });
}

test("an equals sign too many is refused with the filter that is meant", () => {
  assert.throws(() => addFilter("channel==newsletter"), /^Write channel=newsletter; a value that begins with =/);
  assert.throws(() => addFilter("channel!==a,b"), /^Write channel!=a,b; /);
});

test("filters and keys add up", () => {
  assert.is(addFilter("b", addFilter("a")).length, 2);
  assert.equal(addKeys("c, d,", addKeys('a,"custom:one, two"')), ["a", "custom:one, two", "c", "d"]);
});

test("a date means a time of its day", () => {
  assert.is(momentAt("00:00:00")("2026-03-01"), "2026-03-01 00:00:00");
  assert.is(momentAt("23:59:59")("2026-03-01"), "2026-03-01 23:59:59");
  assert.is(momentAt("23:59:59")("2026-03-01 12:30:00"), "2026-03-01 12:30:00");
  for (const text of ["2026-02-30", "today", "2026-03-01T00:00:00", "2026-03-01 24:00:00", ""]) {
    assert.throws(() => momentAt("00:00:00")(text), /must be a date like/);
  }
});

test("the missing ones are named", () => {
  assert.equal(exportRequestOf({ type: "web", to: "2026-03-01 00:00:00" }), {
    missing: ["from", "events", "properties"],
  });
});

test.run();
