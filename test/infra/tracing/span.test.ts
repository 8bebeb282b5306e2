// time limit: 20 s
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { SpanKind } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import type { Response } from "express";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sendRedirect } from "../../../commands/link-serving/link-responses.ts";
import { inRequestSpan, traceOfRequest } from "../../../infra/tracing/request-span.ts";
import { inBatchSpan, inSpan, isTraced, type MaybeTrace } from "../../../infra/tracing/span.ts";

const trace = (number: number, flags = "01"): { readonly traceparent: string } => ({
  traceparent: `00-1${number.toString(16).padStart(31, "0")}-00f067aa0ba902b7-${flags}`,
});
const idOf = (of: MaybeTrace): string | undefined => of?.traceparent.split("-")[1];
const never = (): never => {
  throw new Error("Nothing is computed for spans that nobody takes");
};
const request = (headers: object) =>
  Object.assign(new EventEmitter(), { method: "GET", headers }) as unknown as IncomingMessage;
const response = (statusCode: number) => ({ statusCode, getHeader: () => "id" }) as unknown as Response;

const exporter = new InMemorySpanExporter();
const spans = suite("spans");
spans.before.each(() => exporter.reset());

spans("without an SDK: nothing is computed, and the trace context is passed on unchanged", async () => {
  assert.not(isTraced());
  for (const from of [undefined, trace(1)]) {
    assert.equal(await inSpan("work", from, never, async (handOn) => handOn), from);
  }
  assert.is(await inBatchSpan("batch", never, async () => 5), 5);
  const sent = request(trace(2));
  assert.equal(await inRequestSpan(sent, response(200), "/path", async () => traceOfRequest(sent)), trace(2));
  assert.is(traceOfRequest(request({ traceparent: "00" })), undefined);
});

spans("with an SDK: work is a child of what it follows from, or of the active span of the same trace", async () => {
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  await inSpan(
    "outer",
    { ...trace(1), tracestate: "a=b" },
    () => ({}),
    async (outer) => {
      assert.is(outer?.tracestate, "a=b");
      await inSpan(
        "inner",
        { ...trace(1) },
        () => ({}),
        async () => {},
      );
      await inSpan(
        "other",
        trace(2),
        () => ({}),
        async () => {},
      );
      await inSpan(
        "nearest",
        undefined,
        () => ({}),
        async () => {},
      );
    },
  );
  const finished = exporter.getFinishedSpans();
  const named = new Map(finished.map((span) => [span.spanContext().spanId, span.name]));
  assert.equal(
    finished.map(({ name, parentSpanContext: parent }) => [name, named.get(parent?.spanId ?? "") ?? parent?.traceId]),
    [
      ["inner", "outer"],
      ["other", idOf(trace(2))],
      ["nearest", "outer"],
      ["outer", idOf(trace(1))],
    ],
  );
});

spans(
  "a batch of one sampled trace is in it; of several, a trace of its own that links to each, at most 128",
  async () => {
    const batches = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.boolean()), {
      ...{ selector: ([number]) => number, minLength: 1, maxLength: 200, size: "max" as const },
    });
    await fc.assert(
      fc.asyncProperty(batches, async (members) => {
        exporter.reset();
        const sampled = members.flatMap(([number, isSampled]) => (isSampled ? [trace(number)] : []));
        const all = members.flatMap(([number, isSampled]) => [undefined, trace(number, isSampled ? "01" : "00")]);
        await inBatchSpan(
          "batch",
          () => [...all, ...all],
          async () => {},
        );
        const [span] = exporter.getFinishedSpans();
        // A child of a trace that is not sampled is not recorded.
        if (sampled.length === 0) assert.is(span, undefined);
        else if (sampled.length === 1) assert.equal([span?.spanContext().traceId, span?.links], [idOf(sampled[0]), []]);
        else {
          assert.is(span?.parentSpanContext, undefined);
          assert.equal(
            span?.links.map(({ context }) => context.traceId),
            sampled.slice(0, 128).map(idOf),
          );
        }
      }),
      { numRuns: 50 },
    );
    for (const count of [127, 128, 129]) {
      exporter.reset();
      await inBatchSpan(
        "batch",
        () => Array.from({ length: count }, (_, number) => trace(number + 1)),
        async () => {},
      );
      assert.is(exporter.getFinishedSpans()[0]?.links.length, Math.min(count, 128));
    }
  },
);

spans("a request without a header, or with an invalid one, begins a trace; its status is in the span", async () => {
  for (const headers of [{}, { traceparent: "00-1-2-3" }]) {
    exporter.reset();
    const sent = request(headers);
    const own = await inRequestSpan(sent, response(503), "/path/:id", async () => traceOfRequest(sent));
    const [span] = exporter.getFinishedSpans();
    assert.equal([span?.name, span?.parentSpanContext, span?.status.code], ["GET /path/:id", undefined, 2]);
    assert.equal(span?.attributes["http.response.status_code"], 503);
    assert.is(idOf(own), span?.spanContext().traceId);
  }
});

spans("a request continues the trace of its header, also within a span of another trace", async () => {
  for (const [active, parent] of [
    [trace(3), undefined],
    [trace(4), trace(3)],
  ]) {
    exporter.reset();
    await inSpan(
      "instrumentation",
      active,
      () => ({}),
      () => inRequestSpan(request(trace(3)), response(200), "/path", async () => {}),
    );
    const [own, instrumentation] = exporter.getFinishedSpans();
    const expected = parent === undefined ? instrumentation?.spanContext().spanId : parent.traceparent.split("-")[2];
    assert.is(own?.parentSpanContext?.spanId, expected);
    assert.is(own?.spanContext().traceId, idOf(trace(3)));
    assert.is(own?.kind, parent === undefined ? SpanKind.INTERNAL : SpanKind.SERVER);
  }
});

spans("the request id of a redirect is in its span, whose headers are written at once", async () => {
  const redirect = Object.assign(response(302), {
    getHeader: () => undefined,
    writeHead: () => redirect,
    end: () => {},
  });
  await inRequestSpan(request({}), redirect, "links", async () =>
    sendRedirect(redirect, "https://shop.example", "its id"),
  );
  assert.is(exporter.getFinishedSpans()[0]?.attributes["touchledger.request_id"], "its id");
});

spans("a failure is recorded in its span, and passed on", async () => {
  const failing = inSpan(
    "work",
    trace(1),
    () => ({}),
    async () => {
      throw new RangeError("too much");
    },
  );
  assert.is(await failing.catch((failure: Error) => failure.message), "too much");
  const [span] = exporter.getFinishedSpans();
  assert.equal([span?.status.code, span?.events[0]?.attributes?.["exception.type"]], [2, "RangeError"]);
});

spans.run();
