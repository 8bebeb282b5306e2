import type { RecordedEvent } from "../../../domain/event-catalogue.ts";

/** SQLSTATE classes of data that cannot be stored: retrying does not help. */
const poisonClasses = ["22", "23"];

/** An event that cannot be applied: it is parked, or a rebuild fails. */
export class PoisonEvent extends Error {
  override readonly name = "PoisonEvent";
  readonly event: RecordedEvent;
  constructor(projection: string, event: RecordedEvent, reason: string) {
    super(
      `Projection ${projection} cannot apply ${event.type} at position ${event.position.commit} ` +
        `(stream ${event.stream}, event ${event.id}): ${reason}`,
    );
    this.event = event;
  }
}

/** Whether an event caused the failure: SQLSTATE 22 (data exception) or 23 (constraint violation). */
export function isPoison(failure: unknown): boolean {
  const state = sqlState(failure);
  return state !== null && poisonClasses.includes(state.slice(0, 2));
}

/** The SQLSTATE of a failure; null when it did not come from the database. */
function sqlState(failure: unknown): string | null {
  if (!(failure instanceof Error) || !("code" in failure) || typeof failure.code !== "string") return null;
  return /^[0-9A-Z]{5}$/.test(failure.code) ? failure.code : null;
}

/** The message of a failure, on one line. */
export function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const detail = "detail" in failure && typeof failure.detail === "string" ? ` (${failure.detail})` : "";
  // Knex puts the whole statement before the database's message.
  const message = failure.message.slice(failure.message.lastIndexOf(" - ") + 1).replace(/^- /, "");
  return `${sqlState(failure) === null ? failure.message : message}${detail}`.slice(0, 2_000);
}
