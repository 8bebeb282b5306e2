import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parsedUrl, percentDecoded } from "../../../domain/values/url.ts";

const test = suite("a URL of a text");

test("is parsed as browsers do", () => {
  assert.is(parsedUrl("HTTPS://Shop.Example/a b")?.href, "https://shop.example/a%20b");
  assert.is(parsedUrl("shop.example"), null);
});

test("is none with a host longer than any: 253 characters, or 2,500 bytes that are percent-encoded", () => {
  const isOne = (host: string) => parsedUrl(`https://${host}/a?b#c`) !== null;
  const encoded = (count: number) => "%6E".repeat(count);
  assert.equal(
    [253, 254].map((count) => isOne("한".repeat(count))),
    [true, false],
  );
  assert.equal(
    [2_499, 2_500, 2_501].map((length) => isOne("n".repeat(length))),
    [true, true, false],
  );
  assert.ok(isOne(encoded(253)));
  for (const start of ["https://", "https:", "https:\\\\", "HTTPS:///", "app://", "https:/\n/", " https://\t"])
    assert.is(parsedUrl(`${start}${"한".repeat(8_000)}/a`), null, start);
  assert.ok(parsedUrl(`https://shop.example/${"한".repeat(8_000)}`) !== null);
  assert.ok(parsedUrl(`https://shop.example?q=//${"한".repeat(8_000)}`) !== null);
});

test("is the same however often it is parsed: an optimised URL.canParse refuses such a host", () => {
  for (let time = 0; time < 20_000; time += 1) {
    if (parsedUrl("https://münchen.example/") === null) throw new Error(`It was refused at the ${time}th time.`);
  }
});

test.run();

const decoding = suite("a percent-encoded text");

function decodedByException(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

decoding("is decoded like decodeURIComponent, without its exceptions", () => {
  const byte = fc.integer({ min: 0, max: 255 }).map((value) => `%${value.toString(16).padStart(2, "0")}`);
  const edge = fc.constantFrom(...["%c1", "%c2", "%e0", "%ed", "%ef", "%f0", "%f4", "%f5"]);
  const follower = fc.constantFrom(...["%7f", "%80", "%8F", "%90", "%9f", "%A0", "%bf", "%c0"]);
  const character = fc.string({ unit: "grapheme", maxLength: 1 }).map(encodeURIComponent);
  const broken = fc.constantFrom("%", "%2", "%g0", "%0g", "+", "a", "한", "\ud800");
  const parts = fc.array(fc.oneof(byte, edge, follower, character, broken), { maxLength: 6 });
  fc.assert(
    fc.property(parts, (texts) => {
      const text = texts.join("");
      assert.is(percentDecoded(text), decodedByException(text), text);
    }),
    { numRuns: 5_000 },
  );
});

decoding("is UTF-8 at the first and last character of each length, and not beyond", () => {
  for (const text of [
    ...["%00", "%7f", "%80", "%bf", "%c1%bf", "%c2%80", "%df%bf", "%df%c0", "%e0%9f%bf", "%e0%a0%80", "%ec%bf%bf"],
    ...["%ed%9f%bf", "%ed%a0%80", "%ed%bf%bf", "%ee%80%80", "%ef%bf%bf", "%f0%8f%bf%bf", "%f0%90%80%80"],
    ...["%f3%bf%bf%bf", "%f4%8f%bf%bf", "%f4%90%80%80", "%f5%80%80%80"],
  ]) {
    assert.is(percentDecoded(text), decodedByException(text), text);
  }
});

decoding("may have a million characters", () => {
  assert.is(percentDecoded("%41".repeat(333_333)), "A".repeat(333_333));
});

decoding.run();
