import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { base62, isChannelKey, isTokenText, secretLength, tokenText } from "../../../domain/tokens/token-text.ts";

const secrets = fc
  .array(fc.constantFrom(...base62), { minLength: secretLength, maxLength: secretLength })
  .map((digits) => digits.join(""));
const kinds = fc.constantFrom("api", "link", "sdk", "web", "channel");

const text = suite("a token's text");

text("is its kind, its secret and their checksum", () => {
  assert.is(tokenText("api", "0".repeat(32)), "tl_api_00000000000000000000000000000000_0OLQM5");
});

text("is known by its checksum", () => {
  fc.assert(fc.property(kinds, secrets, (kind, secret) => isTokenText(tokenText(kind, secret))));
});

text("distinguishes keys of channels from tokens of apps", () => {
  fc.assert(
    fc.property(kinds, secrets, (kind, secret) => isChannelKey(tokenText(kind, secret)) === (kind === "channel")),
  );
});

text("shows every mistyped character", () => {
  fc.assert(
    fc.property(kinds, secrets, fc.nat(), fc.constantFrom(...base62), (kind, secret, at, digit) => {
      const right = tokenText(kind, secret);
      const place = right.length - 1 - (at % (secretLength + 7));
      const mistyped = right.slice(0, place) + digit + right.slice(place + 1);
      return mistyped === right || !isTokenText(mistyped);
    }),
  );
});

text("has no other format", () => {
  const ofNoKind = "tl_root_00000000000000000000000000000000_3fV2Ev";
  for (const other of ["", "tl_api_", ofNoKind, "x".repeat(50)]) {
    assert.not(isTokenText(other), other);
  }
});

text.run();
