import { suite } from "uvu";
import * as assert from "uvu/assert";
import { identifierOf } from "../../../domain/prediction/identifier.ts";
import { trimmedIdentifier } from "../../../domain/values/text.ts";

const trimming = suite("a trimmed identifier");

trimming("has no Unicode white space at either end", () => {
  const white = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000";
  for (const space of white) assert.is(trimmedIdentifier(`${space}${white}user 7${white}${space}`), "user 7");
});

trimming("keeps inner white space, and characters that only look like it", () => {
  assert.is(trimmedIdentifier(" a \u3000 b "), "a \u3000 b");
  for (const other of ["\ufeff", "\u200b", "\u180e", "\u0000"]) {
    assert.is(trimmedIdentifier(` ${other}a${other} `), `${other}a${other}`);
  }
});

trimming("is empty for white space only", () => {
  assert.is(trimmedIdentifier("\u3000 \u0085"), "");
  assert.is(trimmedIdentifier(""), "");
});

trimming("takes no longer for white space inside", () => {
  const text = `a${" ".repeat(1_000_000)}b`;
  assert.is(trimmedIdentifier(text), text);
});

trimming.run();

const naming = suite("a request's identifier");

naming("is its one field, trimmed", () => {
  assert.equal(identifierOf({ userId: " U " }), { kind: "service_generated_uuid", value: "U" });
  assert.equal(identifierOf({ partnerDeviceId: "d" }), { kind: "partner_device_id", value: "d" });
  assert.equal(identifierOf({ serviceExternalUserId: "x" }), { kind: "service_external_user_id", value: "x" });
  assert.is(identifierOf({}), null);
});

naming.run();
