import type { TraceContext } from "../../domain/values/trace-context.ts";
import type { AttemptResult } from "../../domain/webhooks/retries.ts";
import { type Attributes, inSpan, SpanKind } from "../tracing/span.ts";
import type { Poster } from "./post.ts";

/** {@link Poster.post} in a span, with the headers of the trace that it follows from (contract/webhooks.md#traces). */
export function tracedPost(
  poster: Poster,
  [url, headers, body, signal]: Parameters<Poster["post"]>,
  trace: TraceContext | undefined,
): Promise<AttemptResult> {
  let result: AttemptResult | null = null;
  const settings = () => ({
    kind: SpanKind.CLIENT,
    attributes: {
      "http.request.method": "POST",
      "server.address": new URL(url).hostname,
      "touchledger.delivery_id": headers["webhook-id"] ?? "",
    },
    ended: () => ({ attributes: attributesOf(result), failed: result?.failure !== null }),
  });
  return inSpan("deliver webhook", trace, settings, async (handOn) => {
    result = await poster.post(url, { ...headers, ...handOn }, body, signal);
    return result;
  });
}

function attributesOf(result: AttemptResult | null): Attributes {
  const { responseStatus = null, failure = null } = result ?? {};
  return {
    ...(responseStatus === null ? {} : { "http.response.status_code": responseStatus }),
    ...(failure === null ? {} : { "error.type": failure }),
  };
}
