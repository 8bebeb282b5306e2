import type { RecordedEvent } from "../../../domain/event-catalogue.ts";

/** SQLSTATE classes that say that the data cannot be stored: no repetition mends them. */
const poisonClasses = ["22", "23"];

/** One event cannot be applied, whatever is tried again: it is set aside, or a rebuild fails. */
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

/** Whether the fault is in the events and not in the machines: SQLSTATE 22 (data exception) or 23 (constraint). */
export function isPoison(failure: unknown): boolean {
  const state = sqlState(failure);
  return state !== null && poisonClasses.includes(state.slice(0, 2));
}

/** What the database calls a failure; null when it was not the database that failed. */
function sqlState(failure: unknown): string | null {
  if (!(failure instanceof Error) || !("code" in failure) || typeof failure.code !== "string") return null;
  return /^[0-9A-Z]{5}$/.test(failure.code) ? failure.code : null;
}

/** A failure in one line, for people. */
export function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const detail = "detail" in failure && typeof failure.detail === "string" ? ` (${failure.detail})` : "";
  // Knex puts the whole statement before the database's words.
  const words = failure.message.slice(failure.message.lastIndexOf(" - ") + 1).replace(/^- /, "");
  return `${sqlState(failure) === null ? failure.message : words}${detail}`.slice(0, 2_000);
}
