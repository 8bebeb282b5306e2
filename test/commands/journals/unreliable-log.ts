import fc from "fast-check";
import { type EventLog, EventLogUnavailable } from "../../../infra/event-log/event-log.ts";

/** What becomes of an append: done; lost on the way there; lost on the way back; done long after it was given up. */
type Fate = "done" | "lost" | "unanswered" | { readonly lateBy: number };

export const fate: fc.Arbitrary<Fate> = fc.oneof(
  fc.constantFrom<Fate>("done", "lost", "unanswered"),
  fc.record({ lateBy: fc.integer({ min: 1, max: 6 }) }),
);

/** The log as a bad network shows it, and how to let everything still under way arrive. */
export function unreliable(log: EventLog, fates: readonly Fate[]): { readonly log: EventLog; arrive(): Promise<void> } {
  const underWay: { due: number; append: () => Promise<unknown> }[] = [];
  let attempts = 0;

  async function arriveUntil(attempt: number): Promise<void> {
    for (const late of underWay.filter(({ due }) => due <= attempt)) {
      underWay.splice(underWay.indexOf(late), 1);
      // Its answer reaches nobody; a real server may refuse it, as its first attempt is still being written.
      await late.append().catch((failure: unknown) => {
        if (!(failure instanceof EventLogUnavailable)) throw failure;
      });
    }
  }

  const append: EventLog["append"] = async (...call) => {
    const fate = fates[attempts] ?? "done";
    attempts += 1;
    await arriveUntil(attempts);
    if (fate === "done") return log.append(...call);
    if (fate === "unanswered") await log.append(...call);
    else if (fate !== "lost") underWay.push({ due: attempts + fate.lateBy, append: () => log.append(...call) });
    throw new EventLogUnavailable("the network is bad");
  };
  return { log: { ...log, append }, arrive: () => arriveUntil(Number.POSITIVE_INFINITY) };
}
