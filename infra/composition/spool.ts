import type { Registry } from "prom-client";
import type { Journals } from "../../commands/journals/journal.ts";
import { startSpoolDrainer } from "../../commands/journals/spool-drainer.ts";
import { createSpoolingJournals } from "../../commands/journals/spooling-journals.ts";
import { tracedJournals } from "../../commands/journals/traced-journals.ts";
import { noteUnanswered } from "../../commands/journals/unanswered-appends.ts";
import type { LogPosition } from "../../domain/event.ts";
import type { EventLog } from "../event-log/event-log.ts";
import type { Log } from "../process/log.ts";
import { openSpool, type SpoolOptions } from "../spool/spool.ts";
import { measureSpool } from "../spool/spool-metrics.ts";

export interface RunningSpool {
  /** Journals for the touchpoints of visitors: events that the log does not take in time are spooled. */
  readonly spoolingJournals: Journals<LogPosition | null>;
  /** Drains the spool until `drainOver` aborts; the rest waits for the next start. */
  stop(drainOver: AbortSignal): Promise<void>;
}

/**
 * The spool of the data directory and its drainer, which begins with the batches of an earlier process. New journals
 * write to streams of their own, so neither waits for the other.
 */
export function startSpool(
  { log: eventLog, logId }: { readonly log: EventLog; readonly logId: string },
  options: Omit<SpoolOptions, "logId">,
  registry: Registry,
  log: Log,
): RunningSpool {
  const spool = openSpool({ ...options, logId });
  const counters = measureSpool(spool, options.limitBytes, registry);
  const onAlarm = (stream: string): void => {
    counters.conflict();
    log.error({ stream }, "the event log holds what is not ours in a journal of ours; going on in a fresh one");
  };
  const left = spool.depth().events;
  if (left > 0) log.info({ events: left }, "bringing clicks that an earlier process has spooled to the event log");
  const { log: logOfJournals, answered } = noteUnanswered(eventLog);
  const drainer = startSpoolDrainer(eventLog, spool, {
    answered,
    onDrained: counters.drained,
    onAlarm,
    onTrouble: (failure) => log.warn({ err: failure }, "the event log does not take spooled clicks yet"),
  });
  return {
    spoolingJournals: tracedJournals(
      createSpoolingJournals(logOfJournals, spool, { onSpooled: drainer.wake, onAlarm }),
    ),
    async stop(drainOver) {
      await drainer.stop(drainOver);
      const { events } = spool.depth();
      if (events > 0) log.warn({ events }, "clicks wait in the spool for the next start");
      await spool.close();
    },
  };
}
