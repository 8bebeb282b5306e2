import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fault } from "../../../../domain/fault.ts";
import { textOf } from "../../../../infra/http/i18n/messages.ts";
import { compileValidator } from "../../../../infra/http/request/validation.ts";

const path = ["body"];
const a = { type: "string", const: "a" } as const;
const limited = (code: string, limit: number) => fault(code, path, { limit });
/** A value with a fault for each keyword of the schemas. */
const cases: readonly (readonly [object, unknown, object])[] = [
  [{ type: "string" }, 1, fault("wrong_type.string", path)],
  [{ type: ["string", "null"] }, 1, fault("wrong_type.string_or_null", path)],
  [{ type: "integer" }, 1.5, fault("wrong_type.integer", path)],
  [{ type: "number" }, Number.POSITIVE_INFINITY, fault("wrong_type.number", path)],
  [
    { type: "string", enum: ["a", "b"] },
    "c",
    fault("not_allowed.one_of", path, { values: ["a", "b"], suggestion: "" }),
  ],
  [
    { type: "string", enum: ["day", "week"] },
    "weeks",
    fault("not_allowed.one_of", path, {
      values: ["day", "week"],
      suggestion: { code: "did_you_mean", params: { nearest: "week" } },
    }),
  ],
  [{ type: "string", const: "a" }, "c", fault("not_allowed.constant", path, { value: '"a"' })],
  [{ type: "string", format: "date" }, "2026-02-30", fault("wrong_format.date", path)],
  [{ type: "string", pattern: "^a$" }, "c", fault("wrong_format.pattern", path, { pattern: "^a$" })],
  [
    { type: "string", title: "short-id", pattern: "^a$" },
    "c",
    fault("wrong_format.short-id", path, { pattern: "^a$" }),
  ],
  [{ type: "string", format: "time-zone" }, "KST", fault("wrong_format.time-zone", path, { suggestion: "" })],
  [{ type: "string", format: "time-zone" }, "GMT+9", fault("wrong_format.time-zone", path, { suggestion: "" })],
  [
    { type: "string", format: "time-zone" },
    "seoul",
    fault("wrong_format.time-zone", path, {
      suggestion: { code: "did_you_mean", params: { nearest: "Asia/Seoul" } },
    }),
  ],
  [{ type: "string", minLength: 2 }, "😀", limited("too_short.characters", 2)],
  [{ type: "string", maxLength: 1 }, "ab", limited("too_long.characters", 1)],
  [{ type: "array", minItems: 1 }, [], limited("too_short.items", 1)],
  [{ type: "array", maxItems: 1 }, [1, 2], limited("too_long.items", 1)],
  [{ type: "object", minProperties: 1 }, {}, limited("too_short.fields", 1)],
  [{ type: "object", maxProperties: 0 }, { a: 1 }, limited("too_long.fields", 0)],
  [{ type: "number", minimum: 3 }, 2, limited("out_of_range.minimum", 3)],
  [{ type: "number", maximum: 3 }, 4, limited("out_of_range.maximum", 3)],
  [{ type: "number", exclusiveMinimum: 3 }, 3, limited("out_of_range.exclusive_minimum", 3)],
  [{ type: "number", exclusiveMaximum: 3 }, 3, limited("out_of_range.exclusive_maximum", 3)],
  [{ type: "array", uniqueItems: true }, ["a", "a"], fault("duplicate", [...path, 1])],
  [{ type: "array", uniqueItems: true, items: a }, ["a", "a"], fault("duplicate", [...path, 1])],
  [{ not: a }, "a", fault("invalid.not", path)],
  [{ type: "number", multipleOf: 2 }, 3, fault("invalid", path)],
  [{ type: "object", required: ["a"], properties: { a } }, {}, fault("missing", ["body", "a"])],
  [
    { type: "object", additionalProperties: false },
    { "a/b~": 1 },
    fault("unknown_field", ["body", "a/b~"], { name: "a/b~", suggestion: "" }),
  ],
  [
    { type: "object", additionalProperties: false, properties: { groupBys: {}, metrics: {} } },
    { group_by: 1 },
    fault("unknown_field", ["body", "group_by"], {
      name: "group_by",
      suggestion: { code: "did_you_mean", params: { nearest: "groupBys" } },
    }),
  ],
  [
    { type: "object", additionalProperties: false, properties: { groupBys: {} } },
    { ["x".repeat(65)]: 1 },
    fault("unknown_field", ["body", "x".repeat(65)], { name: "x".repeat(64), suggestion: "" }),
  ],
  [
    { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
    { "a/b~": ["", 1] },
    fault("wrong_type.string", ["body", "a/b~", 1]),
  ],
  [{ type: "object", properties: { 0: { type: "string" } } }, { 0: 1 }, fault("wrong_type.string", ["body", "0"])],
];

const faults = suite("the faults of a value");

for (const [schema, value, expected] of cases) {
  faults(`${JSON.stringify(schema)} of ${JSON.stringify(value)}`, () => {
    const found = compileValidator(schema, "body")(value);
    assert.equal(JSON.parse(JSON.stringify(found.at(-1))), JSON.parse(JSON.stringify(expected)));
    for (const one of found) assert.type(textOf(one, "ko"), "string");
  });
}

faults("of names of fields are at the name", () => {
  const validate = compileValidator({ type: "object", propertyNames: a }, "body");
  assert.equal(
    validate({ b: 1 }).map(({ code, path }) => [code, path]),
    [["not_allowed.constant", ["body", "b"]]],
  );
});

faults("of a parameter that a query has twice are that it is repeated", () => {
  const validate = compileValidator({ type: "object", properties: { size: { type: "integer" } } }, "query");
  assert.equal(validate({ size: ["1", "2"] }), [fault("duplicate", ["query", "size"])]);
});

faults("are all named, 50 of them at most", () => {
  const validate = compileValidator({ type: "array", items: { type: "string" } }, "query");
  assert.equal(validate([]), []);
  assert.is(validate([1, 2, "a"]).length, 2);
  assert.is(validate(Array.from({ length: 1_000 }, () => 1)).length, 50);
  assert.is(validate(Array.from({ length: 100_000 }, () => 1)).length, 1);
});

faults("are one for each place: of several rules that a value breaks, the first is named", () => {
  const line = { type: "string", minLength: 1, title: "one-line", pattern: "^\\S(.*\\S)?$" } as const;
  const validate = compileValidator({ type: "array", items: line }, "body");
  assert.equal(validate(["", " a", "a"]), [
    fault("too_short.characters", ["body", 0], { limit: 1 }),
    fault("wrong_format.one-line", ["body", 1], { pattern: line.pattern }),
  ]);
});

faults("are those of its own fields, not of inherited ones", () => {
  const validate = compileValidator({ type: "object", required: ["toString"], properties: { toString: {} } }, "body");
  assert.equal(validate({}), [fault("missing", ["body", "toString"])]);
});

faults("cannot be looked for by a schema that is wrong itself", () => {
  for (const schema of [{ type: "string", format: "no such format" }, { typo: "string" }]) {
    assert.throws(() => compileValidator(schema as object, "body")("value"));
  }
});

faults.run();
