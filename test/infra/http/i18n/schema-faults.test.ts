import { suite } from "uvu";
import * as assert from "uvu/assert";
import { words } from "../../../../infra/http/i18n/message-catalogue.ts";
import { translate } from "../../../../infra/http/i18n/translate.ts";
import { compileValidator } from "../../../../infra/http/request/validation.ts";
import { sourceFiles } from "../../../architecture/source-files.ts";

const a = { type: "string", const: "a" };
const depending = (branch: string): object => ({ if: a, [branch]: { const: "c" } });
/** A schema and a value at fault for each keyword. */
const keywords: Readonly<Record<string, readonly [object, unknown]>> = {
  additionalProperties: [{ type: "object", additionalProperties: false }, { a: 1 }],
  anyOf: [{ anyOf: [a] }, "b"],
  const: [{ const: "a" }, "b"],
  "const of a number": [{ const: -1.5 }, 1],
  "const of null": [{ const: null }, 1],
  contains: [{ type: "array", contains: a }, []],
  dependentRequired: [{ type: "object", dependentRequired: { a: ["b"] } }, { a: 1 }],
  enum: [{ enum: ["a", "b"] }, "c"],
  exclusiveMaximum: [{ type: "number", exclusiveMaximum: 1 }, 1],
  exclusiveMinimum: [{ type: "number", exclusiveMinimum: 1 }, 1],
  "false schema": [{ type: "object", properties: { a: false } }, { a: 1 }],
  format: [{ type: "string", format: "uuid" }, "b"],
  "if, else": [depending("else"), "b"],
  "if, then": [depending("then"), "a"],
  items: [{ type: "array", prefixItems: [a], items: false, minItems: 1 }, ["a", "b"]],
  maximum: [{ type: "number", maximum: 1 }, 2],
  maxContains: [{ type: "array", contains: a, minContains: 1, maxContains: 2 }, []],
  maxItems: [{ type: "array", maxItems: 1 }, [1, 2]],
  maxLength: [{ type: "string", maxLength: 1 }, "ab"],
  maxProperties: [
    { type: "object", maxProperties: 1 },
    { a: 1, b: 1 },
  ],
  minimum: [{ type: "number", minimum: 1 }, 0],
  minItems: [{ type: "array", minItems: 1 }, []],
  minLength: [{ type: "string", minLength: 1 }, ""],
  minProperties: [{ type: "object", minProperties: 1 }, {}],
  multipleOf: [{ type: "number", multipleOf: 2 }, 1],
  not: [{ not: a }, "a"],
  oneOf: [{ oneOf: [a, a] }, "a"],
  pattern: [{ type: "string", pattern: "^(a|b)$" }, "c"],
  propertyNames: [{ type: "object", propertyNames: a }, { b: 1 }],
  required: [{ type: "object", required: ["a"], properties: { a } }, {}],
  type: [{ type: "string" }, 1],
  "types, each of them": [{ type: ["array", "boolean", "integer", "null", "number", "object"] }, "a"],
  unevaluatedItems: [{ type: "array", unevaluatedItems: false }, [1]],
  unevaluatedProperties: [{ type: "object", unevaluatedProperties: false }, { a: 1 }],
  uniqueItems: [{ type: "array", uniqueItems: true }, ["a", "a"]],
};

const faults = suite("what a schema finds wrong, in Korean and Japanese");

for (const [keyword, [schema, value]] of Object.entries(keywords)) {
  faults(keyword, () => {
    const found = compileValidator(schema, "body")(value);
    assert.ok(found.length > 0);
    for (const { msg } of found) {
      assert.match(translate(msg, "ko"), /(니다|니다\)|: .+)$/u, msg);
      assert.match(translate(msg, "ja"), /(です|ます|ません|ます\)|です\)|: .+)$/u, msg);
      assert.is.not(translate(msg, "ko"), msg);
    }
  });
}

faults("names every format that a schema of ours asks for", () => {
  const formats = sourceFiles("commands")
    .concat(sourceFiles("read-api"))
    .flatMap(({ syntax }) => [...syntax.text.matchAll(/\bformat: "([^"]+)"/g)].map(([, format]) => format ?? ""));
  assert.ok(formats.length > 5);
  assert.equal(
    formats.filter((format) => !Object.hasOwn(words, format)),
    [],
  );
});

faults.run();
