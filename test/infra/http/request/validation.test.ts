import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compileValidator } from "../../../../infra/http/request/validation.ts";

const words = suite("the words for a fault");

const loc = ["body"];
const cases: readonly (readonly [object, unknown, object])[] = [
  [{ type: "string" }, 1, { loc, msg: "must be string", type: "wrong_type" }],
  [{ type: ["string", "null"] }, 1, { loc, msg: "must be string or null", type: "wrong_type" }],
  [{ type: "integer" }, 1.5, { loc, msg: "must be integer", type: "wrong_type" }],
  [{ type: "number" }, Number.POSITIVE_INFINITY, { loc, msg: "must be number", type: "wrong_type" }],
  [{ type: "string", enum: ["a", "b"] }, "c", { loc, msg: "must be one of a, b", type: "not_allowed" }],
  [{ type: "string", const: "a" }, "c", { loc, msg: 'must be "a"', type: "not_allowed" }],
  [{ type: "string", format: "uuid" }, "c", { loc, msg: "must be a valid uuid", type: "wrong_format" }],
  [{ type: "string", format: "date" }, "2026-02-30", { loc, msg: "must be a valid date", type: "wrong_format" }],
  [{ type: "string", pattern: "^a$" }, "c", { loc, msg: "must match ^a$", type: "wrong_format" }],
  [{ type: "string", minLength: 2 }, "😀", { loc, msg: "must have at least 2 characters", type: "too_short" }],
  [{ type: "string", maxLength: 1 }, "ab", { loc, msg: "must have at most 1 characters", type: "too_long" }],
  [{ type: "array", maxItems: 1 }, [1, 2], { loc, msg: "must have at most 1 items", type: "too_long" }],
  [{ type: "object", minProperties: 1 }, {}, { loc, msg: "must have at least 1 fields", type: "too_short" }],
  [{ type: "number", maximum: 3 }, 4, { loc, msg: "must be <= 3", type: "out_of_range" }],
  [
    { type: "object", additionalProperties: false },
    { "a/b~": 1 },
    { loc: ["body", "a/b~"], msg: "is not a known field", type: "unknown_field" },
  ],
  [
    { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
    { "a/b~": ["", 1] },
    { loc: ["body", "a/b~", 1], msg: "must be string", type: "wrong_type" },
  ],
  [
    { type: "object", properties: { 0: { type: "string" } } },
    { 0: 1 },
    { loc: ["body", "0"], msg: "must be string", type: "wrong_type" },
  ],
];

for (const [schema, value, fault] of cases) {
  words(`${JSON.stringify(schema)} of ${JSON.stringify(value)}`, () => {
    assert.equal(compileValidator(schema, "body")(value), [fault]);
  });
}

words.run();

const faults = suite("the faults of a value");

faults("are all named, 50 of them at most", () => {
  const validate = compileValidator({ type: "array", items: { type: "string" } }, "query");
  assert.equal(validate([]), []);
  assert.is(validate([1, 2, "a"]).length, 2);
  assert.is(validate(Array.from({ length: 1_000 }, () => 1)).length, 50);
  assert.is(validate(Array.from({ length: 100_000 }, () => 1)).length, 1);
});

faults("are those of its own fields, not of inherited ones", () => {
  const validate = compileValidator({ type: "object", required: ["toString"], properties: { toString: {} } }, "body");
  assert.equal(validate({}), [{ loc: ["body", "toString"], msg: "is required", type: "missing" }]);
});

faults("cannot be looked for by a schema that is wrong itself", () => {
  for (const schema of [{ type: "string", format: "no such format" }, { typo: "string" }]) {
    assert.throws(() => compileValidator(schema as object, "body"));
  }
});

faults.run();
