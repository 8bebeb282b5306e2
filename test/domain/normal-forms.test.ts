import { suite } from "uvu";
import * as assert from "uvu/assert";
import { normalIpAddress } from "../../domain/values/ip-address.ts";
import { countryCodes, isCountryCode } from "../../domain/values/iso-3166.ts";
import { isWellFormedJson } from "../../domain/values/text.ts";
import { advertisingIdOf, uuidOf } from "../../domain/values/uuid.ts";

const forms = suite("one spelling for one thing");

forms("UUIDs are lower case; the nil UUID is none", () => {
  assert.equal(
    [
      "0198A000-0000-7000-8000-00000000000A",
      "00000000-0000-0000-0000-000000000000",
      "0198a000000070008000000000000000a",
      "{0198a000-0000-7000-8000-00000000000a}",
    ].map(uuidOf),
    ["0198a000-0000-7000-8000-00000000000a", null, null, null],
  );
});

forms("advertising ids are lower case; zeros are left out", () => {
  assert.equal(["ABC-1", "", "00000000-0000-0000-0000-000000000000", undefined].map(advertisingIdOf), [
    "abc-1",
    null,
    null,
    null,
  ]);
});

forms("addresses are compressed, and IPv4 where they can be", () => {
  assert.equal(
    ["::ffff:203.0.113.9", "::FFFF:cb00:7109", "0:0:0:0:0:ffff:203.0.113.9", "203.0.113.9"].map(normalIpAddress),
    Array(4).fill("203.0.113.9"),
  );
  assert.equal(["2001:0DB8:0:0:0:0:0:1", "::1", "::1.2.3.4", "localhost", "1:2"].map(normalIpAddress), [
    "2001:db8::1",
    "::1",
    "::102:304",
    "localhost",
    "1:2",
  ]);
});

forms("countries are the 249 that ISO has assigned", () => {
  assert.is(countryCodes.size, 249);
  assert.equal(["KR", "US", "GB", "UK", "XK", "kr", "KOR", ""].map(isCountryCode), [
    true,
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

const texts = suite("what Postgres can store");

texts("is every text without U+0000 and unpaired surrogates, in values and keys, at any depth", () => {
  for (const fine of [null, 1, "", "é😀", { a: ["b", { "😀": "\u0001" }] }]) assert.ok(isWellFormedJson(fine));
  for (const bad of ["\0", "a\ud800", "\udc00a", { a: ["\0"] }, { "\ud800": 1 }, [{ a: { b: "\udfff" } }]]) {
    assert.not(isWellFormedJson(bad), JSON.stringify(bad));
  }
});

forms.run();
texts.run();
