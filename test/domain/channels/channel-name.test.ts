import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isChannelName } from "../../../domain/channels/channel-name.ts";

const name = suite("a channel's name");

name("is any text of 1 to 256 characters, in its own case", () => {
  for (const fine of ["tiktok", "Newsletter März", "한국 배너", "a/b%2F", "😀".repeat(256), "x".repeat(256)]) {
    assert.ok(isChannelName(fine), fine);
  }
});

name("has no control characters, no outer white space and is not reserved", () => {
  const wrong = ["", " a", "a ", "\u00a0a", "a\u0000", "a\nb", "a\u0085", "x".repeat(257), "😀".repeat(257), "organic"];
  for (const text of wrong) assert.not(isChannelName(text), JSON.stringify(text));
});

name.run();
