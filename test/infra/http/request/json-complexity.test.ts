import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hasMoreMembers, membersOf } from "../../../../infra/http/request/json-complexity.ts";

const members = suite("how many objects, arrays and further members a JSON text has");

members("is known without parsing it", () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('"', "\\", '\\"', "{[,", '",{"'));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), tie("array"), tie("object")),
    array: fc.array(tie("value"), { maxLength: 5 }),
    object: fc.dictionary(text, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 2), (whole, indent) => {
      const json = Buffer.from(JSON.stringify(whole, null, indent));
      const count = membersOf(whole);
      assert.equal([hasMoreMembers(json, count - 1), hasMoreMembers(json, count)], [true, false]);
    }),
    { numRuns: 1_000 },
  );
});

members("is more in a text that names a field twice than in its value", () => {
  const json = Buffer.from('{"a":1,"b":[{"c":2,"c":2}]}');
  assert.is(hasMoreMembers(json, membersOf(JSON.parse(json.toString()))), true);
});

for (const broken of ["", '"', '"\\', '"\\"', '{"a', "\\", "]"]) {
  members(`ends with a text that does not: ${JSON.stringify(broken)}`, () => {
    assert.is(hasMoreMembers(Buffer.from(broken), 1), false);
  });
}

members.run();
