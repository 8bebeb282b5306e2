import { Counter, Gauge, type Registry } from "prom-client";
import type { Spool } from "./spool.ts";

interface SpoolCounters {
  drained(events: number): void;
  conflict(): void;
}

/** Registers the metrics of the spool. */
export function measureSpool(spool: Pick<Spool, "depth">, limitBytes: number, registry: Registry): SpoolCounters {
  const gauge = (name: string, help: string, value: () => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  };
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers: [registry] });
  gauge("spool_mode", "1 while clicks wait on local disk for the event store, else 0.", () =>
    spool.depth().batches > 0 ? 1 : 0,
  );
  gauge("spool_waiting_events", "Clicks and impressions waiting in the spool.", () => spool.depth().events);
  gauge("spool_waiting_bytes", "Bytes of clicks and impressions waiting in the spool.", () => spool.depth().bytes);
  gauge("spool_limit_bytes", "Maximum bytes in the spool; clicks beyond it are lost.", () => limitBytes);
  gauge("spool_oldest_seconds", "Age of the oldest batch in the spool.", () => {
    const { oldestAt } = spool.depth();
    return oldestAt === null ? 0 : Math.max(0, Date.now() - oldestAt) / 1000;
  });
  const drained = counter("spool_drained_events_total", "Clicks and impressions moved from the spool to the log.");
  const conflicts = counter("journal_conflicts_total", "Journal streams that contained events of another writer.");
  return { drained: (events) => drained.inc(events), conflict: () => conflicts.inc() };
}
