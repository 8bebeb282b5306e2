import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkSignature, signedUrl } from "../../../read-api/raw-exports/signed-url.ts";

const key = "signing-key-of-the-tests-0123456789abcdef";
const reportId = 120_543_001;
const now = new Date("2026-03-31T12:00:00.900Z");
const lastSecond = Date.parse("2026-03-31T13:00:00.000Z");

const partsOf = (text: string) => {
  const url = new URL(text);
  const value = (name: string): string => url.searchParams.get(name) ?? "";
  return { reportId: url.pathname.split("/").at(-1) ?? "", expires: value("expires"), signature: value("signature") };
};
const sent = partsOf(signedUrl("http://localhost:8080", key, reportId, now));
const check = (change: Partial<typeof sent> = {}, at: Date = now, with_ = key) =>
  checkSignature(with_, { ...sent, ...change }, at);

const address = suite("the signed URL of a file");

address("has the id of the export, its expiry and a signature, below the base URL", () => {
  const url = new URL(signedUrl("https://tl.example/base", key, reportId, now));
  assert.is(url.origin + url.pathname, `https://tl.example/base/log-export/api/v3/downloads/${reportId}`);
  assert.equal([...url.searchParams.keys()], ["expires", "signature"]);
  assert.is(sent.expires, String(lastSecond / 1_000));
  assert.match(sent.signature, /^[0-9a-f]{64}$/);
});

address("is valid for an hour, its last second included", () => {
  assert.is(check(), "valid");
  assert.is(check({}, new Date(lastSecond)), "valid");
  assert.is(check({}, new Date(lastSecond + 1)), "expired");
});

address("that was signed more than a minute ahead has expired: the clock was wrong", () => {
  const checkOf = (signedAt: string) =>
    check(partsOf(signedUrl("http://localhost:8080", key, reportId, new Date(signedAt))));
  const ahead = ["2026-03-31T12:01:00.899Z", "2026-03-31T12:01:00.999Z", "2026-03-31T12:01:01.000Z"];
  assert.equal(ahead.map(checkOf), ["valid", "valid", "expired"]);
});

address("is signed with one key", () => {
  assert.is(check({}, now, `${key}x`), "invalid");
});

for (const change of [
  ...[{ reportId: `0${reportId}` }, { reportId: `${reportId}.0` }, { reportId: "" }, { expires: "" }],
  ...[{ expires: `0${sent.expires}` }, { expires: `${sent.expires}0` }, { expires: `${sent.expires}.0` }],
  ...[{ signature: sent.signature.toUpperCase() }, { signature: sent.signature.slice(1) }, { signature: "" }],
  ...[{ signature: `${sent.signature}0` }, { signature: "0".repeat(64) }, { signature: "é".repeat(32) }],
  { reportId: `${reportId}\n${sent.expires}`, expires: "" },
]) {
  address(`is invalid with ${JSON.stringify(change)}`, () => assert.is(check(change), "invalid"));
}

address("with a wrong signature is invalid, not expired, after its time", () => {
  assert.is(check({ signature: "0".repeat(64) }, new Date(lastSecond + 1)), "invalid");
});

address("is invalid when any letter of it is changed", () => {
  const text = `${sent.reportId}/${sent.expires}/${sent.signature}`;
  fc.assert(
    fc.property(fc.nat({ max: text.length - 1 }), fc.constantFrom(..."0123456789abcdefABCDEF"), (at, letter) => {
      fc.pre(text[at] !== letter && text[at] !== "/");
      const [reportId = "", expires = "", signature = ""] = `${text.slice(0, at)}${letter}${text.slice(at + 1)}`.split(
        "/",
      );
      assert.is(check({ reportId, expires, signature }), "invalid");
    }),
    { numRuns: 500 },
  );
});

address("differs for every export and second", () => {
  const urls = [
    signedUrl("http://localhost", key, reportId, now),
    signedUrl("http://localhost", key, reportId + 1, now),
    signedUrl("http://localhost", key, reportId, new Date(now.getTime() + 1_000)),
  ];
  assert.is(new Set(urls.map((url) => partsOf(url).signature)).size, 3);
});

address.run();
