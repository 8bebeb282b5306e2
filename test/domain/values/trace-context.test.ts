// time limit: 10 s
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  maxStateLength,
  readTraceContext,
  storedTrace,
  traceIds,
  traceOfStored,
} from "../../../domain/values/trace-context.ts";

const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
const traceparent = `00-${traceId}-${spanId}-01`;
const hex = (length: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""));
const id = (length: number) => hex(length).filter((digits) => /[^0]/.test(digits));

const reading = suite("reading a trace context");

reading("any valid header is read as it is, and stored and read again", () => {
  fc.assert(
    fc.property(id(32), id(16), hex(2), (trace, span, flags) => {
      const sent = { traceparent: `00-${trace}-${span}-${flags}`, tracestate: "rojo=00f067aa0ba902b7, ,congo=t61" };
      assert.equal(readTraceContext(sent), sent);
      assert.equal(traceOfStored(storedTrace(sent)), sent);
      const ids = { traceId: trace, spanId: span, traceFlags: Number.parseInt(flags, 16) };
      assert.equal(traceIds(sent), ids);
    }),
  );
});

reading("of a later version, what version 00 has; of an invalid header, nothing", () => {
  const later = `01-${traceId}-${spanId}-01-what-comes`;
  assert.equal(readTraceContext({ traceparent: later }), { traceparent });
  assert.equal(readTraceContext({ traceparent: ` ${traceparent}\t` }), { traceparent });
  const invalid = [
    ...[undefined, null, 5, "", [traceparent], `${traceparent}, ${traceparent}`, `${traceparent}-more`],
    ...[`ff-${traceId}-${spanId}-01`, traceparent.toUpperCase(), traceparent.slice(0, -1), `0-${traceId}-${spanId}-01`],
    ...[`00-${"0".repeat(32)}-${spanId}-01`, `00-${traceId}-${"0".repeat(16)}-01`, `01-${traceId}-${spanId}-01more`],
  ];
  for (const one of invalid) {
    assert.is(readTraceContext({ traceparent: one, tracestate: "a=b" }), undefined, String(one));
    assert.is(storedTrace({ traceparent: one as string }), null);
  }
});

reading("a tracestate of at most 512 characters and 32 members is handed on; any other is dropped whole", () => {
  const ofLength = (length: number) => `a=${"b".repeat(253)},c=`.padEnd(length, "d");
  const ofMembers = (count: number) => Array.from({ length: count }, (_, index) => `k${index}=v`).join(",");
  const stateOf = (tracestate: unknown) => readTraceContext({ traceparent, tracestate })?.tracestate;
  for (const kept of [ofLength(maxStateLength - 1), ofLength(maxStateLength), ofMembers(31), ofMembers(32)]) {
    assert.is(stateOf(kept), kept);
  }
  const dropped = [ofLength(maxStateLength + 1), ofMembers(33), "", "a", "a=b=c", "A=b", "a=\u00e9", "a=b,c", ["a=b"]];
  for (const one of dropped) assert.is(stateOf(one), undefined, String(one));
  assert.is(maxStateLength, 512);
});

reading.run();
