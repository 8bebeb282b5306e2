/**
 * The parent in a distributed trace: the header fields of W3C Trace Context, as they are sent
 * (contract/http.md#traces).
 */
export interface TraceContext {
  /** Version 00, with the id of the trace, that of the span, and its flags. */
  readonly traceparent: string;
  /** Additional data of tracing systems; absent: none. */
  readonly tracestate?: string;
}

const zeros = /^0+$/;
/** Version, trace id, parent id and flags; later versions may add fields. */
const format = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** A member of a `tracestate`; empty ones are allowed. */
const member = /^(?:[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e])?$/;
const maxMembers = 32;
/** Maximum characters of a `tracestate`; a longer one is dropped. */
export const maxStateLength = 512;

/** Header fields or metadata, not validated yet. */
type TraceFields =
  | { readonly traceparent?: unknown; readonly tracestate?: unknown }
  | { readonly [field: string]: unknown };

/**
 * Reads the header fields of a request, or an event's metadata. Undefined when `traceparent` is absent or invalid; an
 * invalid or long `tracestate` is left out.
 */
export function readTraceContext({ traceparent, tracestate }: TraceFields): TraceContext | undefined {
  if (typeof traceparent !== "string") return undefined;
  const [, version, traceId = "", parentId = "", flags, more] = format.exec(traceparent.trim()) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (zeros.test(traceId) || zeros.test(parentId)) return undefined;
  const read = { traceparent: `00-${traceId}-${parentId}-${flags}` };
  return isState(tracestate) ? { ...read, tracestate } : read;
}

function isState(value: unknown): value is string {
  if (typeof value !== "string" || value === "" || value.length > maxStateLength) return false;
  const members = value.split(",");
  return members.length <= maxMembers && members.every((one) => member.test(one.trim()));
}

/** The ids and flags of a trace context. */
export function traceIds({ traceparent }: TraceContext): {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
} {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/** The trace context in an event's metadata as a read model stores it; null without one. */
export function storedTrace(metadata: Partial<TraceContext>): string | null {
  const read = readTraceContext(metadata);
  return read === undefined ? null : JSON.stringify(read);
}

/** Reads the text that {@link storedTrace} has made. */
export function traceOfStored(stored: string | null): TraceContext | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as TraceContext);
}
