import { suite } from "uvu";
import * as assert from "uvu/assert";
import { wholeNumber } from "../../../infra/cli/argument-parsers.ts";

const parsing = suite("arguments of commands");

parsing("a whole number is one from 0 to its maximum, in digits", () => {
  const port = wholeNumber(65_535);
  assert.equal(["0", "65534", "65535"].map(port), [0, 65_534, 65_535]);
  for (const text of ["65536", "-1", "1.5", "1e3", "0x10", " 1", ""]) {
    assert.throws(() => port(text), "It must be a whole number from 0 to 65535.");
  }
});

parsing.run();
