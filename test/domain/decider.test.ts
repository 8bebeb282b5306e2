import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertNever } from "../../domain/decider.ts";

const unhandled = suite("a value that no case handles");

for (const [what, value, message] of [
  ["an event, by its type", { type: "ChannelRenamed", revision: 7n }, "Not handled: ChannelRenamed"],
  ["a value without a type, as JSON", { kind: "banner" }, 'Not handled: {"kind":"banner"}'],
  ["a text", "banner", 'Not handled: "banner"'],
  ["null", null, "Not handled: null"],
] as const) {
  unhandled(`is named in the error: ${what}`, () => {
    assert.throws(
      () => assertNever(value as never),
      (error: Error) => error.message === message,
    );
  });
}

unhandled.run();
