import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requestedRange } from "../../../read-api/raw-exports/byte-range.ts";

const etag = `"${"ab".repeat(32)}"`;
const size = 1_000;
const requested = (
  range: string | undefined,
  { ifRange, method = "GET" }: { ifRange?: string; method?: string } = {},
) => {
  const headers = {
    ...(range === undefined ? {} : { range }),
    ...(ifRange === undefined ? {} : { "if-range": ifRange }),
  };
  return requestedRange({ method, headers }, size, etag);
};

const range = suite("a range of bytes");

for (const [text, first, last] of [
  ["bytes=0-0", 0, 0],
  ["bytes=0-499", 0, 499],
  ["bytes=500-", 500, 999],
  ["bytes=999-999", 999, 999],
  ["bytes=-1", 999, 999],
  ["bytes=-500", 500, 999],
  ["bytes=-1001", 0, 999],
  ["bytes=-99999999999999999999", 0, 999],
  ["bytes=500-1000", 500, 999],
  ["bytes=0-99999999999999999999", 0, 999],
  ["Bytes=007-8", 7, 8],
  ["bytes= 1-2 ", 1, 2],
] as const) {
  range(`${text} of 1,000 bytes is ${first} to ${last}`, () => assert.equal(requested(text), { first, last }));
}

for (const text of ["bytes=1000-", "bytes=1000-1000", "bytes=5000-6000", "bytes=-0", "bytes=99999999999999999999-"]) {
  range(`${text} of 1,000 bytes is unsatisfiable`, () => assert.is(requested(text), "unsatisfiable"));
}

for (const text of [
  ...["bytes=0-1,2-3", "bytes=0-0,-1", "bytes=2000-,0-1", "bytes=0-1,", "bytes=5-2", "bytes=2000-1000", "bytes=-"],
  ...["bytes=", "bytes", "", "bytes=a-b", "bytes=1-b", "bytes=1", "bytes=--1", "bytes=1.5-2", "bytes=+1-2"],
  ...["bytes=0x1-2", "bytes=1 -2", "items=0-1", "items=2000-", "0-1", "bytes:0-1"],
]) {
  range(`${JSON.stringify(text)} is ignored`, () => assert.is(requested(text), null));
}

range("is null without a Range", () => {
  assert.is(requested(undefined), null);
  assert.is(requested(undefined, { ifRange: etag }), null);
});

range("applies when If-Range names this file, and no other", () => {
  assert.equal(requested("bytes=1-2", { ifRange: etag }), { first: 1, last: 2 });
  const others = ['"cd"', `W/${etag}`, etag.slice(1, -1), etag.toUpperCase(), "Tue, 31 Mar 2026 12:00:00 GMT", "*", ""];
  for (const ifRange of others) {
    assert.is(requested("bytes=1-2", { ifRange }), null);
    assert.is(requested("bytes=5000-", { ifRange }), null);
  }
});

range("is ignored for HEAD", () => {
  assert.is(requested("bytes=1-2", { method: "HEAD" }), null);
  assert.is(requested("bytes=5000-", { method: "HEAD" }), null);
});

range("lies within the file", () => {
  const part = fc.oneof(fc.nat({ max: 2_000 }), fc.constant(""));
  fc.assert(
    fc.property(part, part, fc.integer({ min: 1, max: 1_500 }), (from, to, bytes) => {
      const found = requestedRange({ method: "GET", headers: { range: `bytes=${from}-${to}` } }, bytes, etag);
      if (found === null || found === "unsatisfiable") return;
      assert.ok(found.first >= 0 && found.first <= found.last && found.last < bytes);
      if (from !== "") assert.is(found.first, from);
      if (from !== "" && to !== "") assert.is(found.last, Math.min(Number(to), bytes - 1));
      if (from === "") assert.is(found.last - found.first + 1, Math.min(Number(to), bytes));
    }),
  );
});

range.run();
