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
