import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { Projection, SchemaName } from "../../projection.ts";

/**
 * A projection's `apply` threw an exception of its own. Its statements may still be running, so the transaction cannot
 * be used any more.
 */
export class ApplyFailed extends Error {
  override readonly name = "ApplyFailed";
  readonly projection: Projection;
  readonly schema: SchemaName;
  readonly events: readonly RecordedEvent[];
  constructor(projection: Projection, schema: SchemaName, events: readonly RecordedEvent[], cause: Error) {
    super(`Projection ${projection.name}: ${cause}`, { cause });
    this.projection = projection;
    this.schema = schema;
    this.events = events;
  }
}

const infrastructureNames = ["Fenced", "KnexTimeoutError", "AbortError", "TimeoutError"];
const infrastructureMessages =
  /connection|client (was|has|is)|not queryable|timeout|timed out|transaction|socket|pool|aborted/i;
/** Node's codes for invalid arguments; its other codes are about sockets, files and streams. */
const argumentCodes = /^ERR_(INVALID_|OUT_OF_RANGE)/;

/** Whether an event may have caused the failure, rather than the database, its connection or this machine. */
export function isException(failure: unknown): failure is Error {
  if (!(failure instanceof Error) || infrastructureNames.includes(failure.name)) return false;
  if ("code" in failure && failure.code !== undefined && !argumentCodes.test(String(failure.code))) return false;
  // A connection never raises the language's own errors, whose messages may contain any word.
  const isBuiltIn = [TypeError, RangeError, SyntaxError, ReferenceError, URIError].some(
    (type) => failure instanceof type,
  );
  return isBuiltIn || !infrastructureMessages.test(failure.message);
}
