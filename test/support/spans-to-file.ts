import { appendFileSync } from "node:fs";
import { Module } from "node:module";
import { NodeTracerProvider, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";

/**
 * Registers an OpenTelemetry SDK, as the one that an operator adds with `NODE_OPTIONS=--import=...` does, and writes each
 * ended span as a line of JSON to the file that `SPANS_FILE` names.
 */
const file = process.env.SPANS_FILE ?? "";

/** A span as it is written. */
export interface WrittenSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly attributes: { readonly [name: string]: unknown };
  readonly links: readonly string[];
}

const written = (span: ReadableSpan): WrittenSpan => {
  const { name, kind, attributes, links, parentSpanContext } = span;
  const { traceId, spanId } = span.spanContext();
  const parentId = parentSpanContext?.spanId ?? null;
  return { name, kind, traceId, spanId, parentId, attributes, links: links.map(({ context }) => context.traceId) };
};

const exporter = {
  export: (spans: readonly ReadableSpan[], done: (result: { code: number }) => void) => {
    for (const span of spans) appendFileSync(file, `${JSON.stringify(written(span))}\n`);
    done({ code: 0 });
  },
  shutdown: async () => {},
};

const { require: load } = Module.prototype;
/** Where instrumentations find libraries: those that are loaded one by one. */
Module.prototype.require = Object.assign(function (this: Module, name: string): unknown {
  appendFileSync(`${file}.loaded`, `${name}\n`);
  return load.call(this, name);
}, load);

new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
