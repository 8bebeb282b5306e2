import { suite } from "uvu";
import * as assert from "uvu/assert";
import { currencies, isCurrency } from "../../../domain/values/iso-4217.ts";

const currency = suite("a currency");

currency("has the decimals that ISO 4217 gives it", () => {
  const some = (["USD", "KRW", "JPY", "BHD", "CLF", "UYW", "XCG"] as const).map((code) => currencies[code]);
  assert.equal(some, [2, 0, 0, 3, 4, 4, 2]);
});

currency("is one of the list, in upper case", () => {
  assert.is(Object.keys(currencies).length, 168);
  for (const code of ["usd", "US", "XXX", "XAU", "EUROS", "", "__proto__", "toString", "constructor"]) {
    assert.not(isCurrency(code), code);
  }
});

currency("has a code of three letters, the list sorted", () => {
  const codes = Object.keys(currencies);
  assert.equal(codes, [...codes].sort());
  assert.ok(codes.every((code) => /^[A-Z]{3}$/.test(code)));
});

currency.run();
