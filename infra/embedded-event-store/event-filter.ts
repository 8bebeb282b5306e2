import type streams from "@eventstore/db-client/generated/streams_pb.js";
import { invalidArgument } from "./statuses.ts";
import { storedEventType, storedStreamName } from "./stored-event.ts";

/** Which events a filtered subscription sends, and how often it says how far it has looked. */
export interface EventFilter {
  readonly accepts: (bytes: Buffer) => boolean;
  /** A checkpoint after so many events looked at. */
  readonly checkpointInterval: number;
}

/** The real server's search window when a client names none. */
const DEFAULT_WINDOW = 32;

/** Reads the filter of a `$all` subscription; null when there is none. */
export function eventFilter(options: streams.ReadReq.Options): EventFilter | null {
  const filter = options.getFilter();
  if (!filter) return null;
  const window = filter.hasMax() ? filter.getMax() : DEFAULT_WINDOW;
  const checkpointInterval = Math.max(1, window * filter.getCheckpointintervalmultiplier());
  const byStream = filter.getStreamIdentifier();
  const byType = filter.getEventType();
  if (byStream) return { accepts: matcher(byStream, storedStreamName), checkpointInterval };
  if (byType) return { accepts: matcher(byType, storedEventType), checkpointInterval };
  throw invalidArgument("a filter needs an expression on the stream or on the event type");
}

function matcher(
  expression: streams.ReadReq.Options.FilterOptions.Expression,
  subject: (bytes: Buffer) => Buffer,
): EventFilter["accepts"] {
  const prefixes = expression.getPrefixList().map((prefix) => Buffer.from(prefix));
  if (prefixes.length > 0) {
    return (bytes) => {
      const text = subject(bytes);
      return prefixes.some((prefix) => text.length >= prefix.length && prefix.compare(text, 0, prefix.length) === 0);
    };
  }
  const pattern = compiled(expression.getRegex());
  return (bytes) => pattern.test(subject(bytes).toString("utf8"));
}

function compiled(regex: string): RegExp {
  try {
    return new RegExp(regex, "u");
  } catch {
    throw invalidArgument(`"${regex}" is not a regular expression`);
  }
}
