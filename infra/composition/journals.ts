import { Gauge, type Registry } from "prom-client";
import { createJournals, type Journals } from "../../commands/journals/journal.ts";
import { tracedJournals } from "../../commands/journals/traced-journals.ts";
import type { EventLog } from "../event-log/event-log.ts";

/** Shorter than the deadline of the log, so that a batch is given up together with its first append that times out. */
const journalRetryMs = 2_000;

export interface OpenJournals {
  readonly journals: Journals;
  /** Of context calls: those that were scored in one batch are recorded in one. */
  readonly callJournals: Journals;
  /** Appends what waits in all journals. */
  drain(): Promise<void>;
}

/** The journals of a process that serves the API, and the metric of what waits in them. */
export function openJournals(
  eventLog: EventLog,
  spoolingJournals: Pick<Journals, "depth" | "drain">,
  registry: Registry,
): OpenJournals {
  const journals = tracedJournals(createJournals(eventLog, { retryForMs: journalRetryMs }));
  const callJournals = tracedJournals(createJournals(eventLog, { retryForMs: journalRetryMs, startsNextTurn: true }));
  const all = [journals, spoolingJournals, callJournals];
  measureJournals(all, registry);
  return {
    journals,
    callJournals,
    drain: async () => {
      await Promise.all(all.map((one) => one.drain()));
    },
  };
}

function measureJournals(journals: readonly Pick<Journals, "depth">[], registry: Registry): void {
  new Gauge({
    name: "journal_waiting_events",
    help: "Events that wait for the event store or are on their way to it.",
    registers: [registry],
    collect() {
      this.set(journals.reduce((sum, one) => sum + one.depth().events, 0));
    },
  });
}
