import { suite } from "uvu";
import * as assert from "uvu/assert";
import { firstCharacters } from "../../../domain/values/text.ts";
import { collectGarbage } from "../../support/collect-garbage.ts";

const truncated = suite("a truncated text");

truncated("has at most so many code points", () => {
  const texts = ["abc", "abcd", "abcde", "abc\u{1f45f}", "abc\u{1f45f}d"];
  assert.equal(
    texts.map((text) => firstCharacters(text, 4)),
    ["abc", "abcd", "abcd", "abc\u{1f45f}", "abc\u{1f45f}"],
  );
});

truncated("does not keep the whole text in memory", () => {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: 100 }, (_, index) =>
    firstCharacters(Buffer.alloc(1024 * 1024, index + 1).toString(), 1_024),
  );
  collectGarbage();
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 20 * 1024 * 1024, `${kept.length} texts keep ${grown} bytes`);
});

truncated.run();
