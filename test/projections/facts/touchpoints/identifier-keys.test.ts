import { suite } from "uvu";
import * as assert from "uvu/assert";
import { identifierKeysOf, userKeyOf } from "../../../../projections/facts/touchpoints/identifier-keys.ts";
import { hashKey } from "../../../../projections/hash-key.ts";

const keys = suite("identifier keys");

keys("never change, because they are stored", () => {
  assert.is(hashKey(""), -2039914840885289964n);
  assert.is(
    hashKey("salt:gaid:38400000-8cf0-11bd-b23e-10b96e40000d"),
    identifierKeysOf({ gaid: "38400000-8CF0-11BD-B23E-10B96E40000D" }, "salt").gaidKey,
  );
});

keys("of one person differ by app", () => {
  const person = { gaid: "a", idfa: "b", idfv: "c", ip: "203.0.113.7" };
  const all = ["salt", "pepper"].flatMap((salt) => [
    ...Object.values(identifierKeysOf(person, salt)),
    userKeyOf("d", salt),
  ]);
  assert.is(new Set(all).size, 10);
});

keys("differ by kind", () => {
  const { gaidKey, idfaKey, idfvKey } = identifierKeysOf({ gaid: "a", idfa: "a", idfv: "a" }, "salt");
  assert.is(new Set([gaidKey, idfaKey, idfvKey, userKeyOf("a", "salt")]).size, 4);
});

keys("are null for empty ids and ids of zeros", () => {
  const zeros = "00000000-0000-0000-0000-000000000000";
  const none = { gaidKey: null, idfaKey: null, idfvKey: null, ipKey: null };
  assert.equal(identifierKeysOf({}, "salt"), none);
  assert.equal(identifierKeysOf({ gaid: zeros, idfa: "", idfv: zeros.replaceAll("-", ""), ip: "" }, "salt"), none);
  assert.is(userKeyOf("", "salt"), null);
  assert.is(userKeyOf(undefined, "salt"), null);
});

keys("of an address do not depend on its spelling", () => {
  const keyOf = (ip: string) => identifierKeysOf({ ip }, "salt").ipKey;
  assert.is(keyOf("2001:DB8:0:0:0:0:0:1"), keyOf("2001:db8::1"));
  assert.is(keyOf("::ffff:203.0.113.7"), keyOf("203.0.113.7"));
  assert.is(keyOf("::ffff:cb00:7107"), keyOf("203.0.113.7"));
  assert.is.not(keyOf("203.0.113.8"), keyOf("203.0.113.7"));
  assert.is.not(keyOf("fe80::1%eth0"), null);
});

keys.run();
