import { Counter, Gauge, type Registry } from "prom-client";
import type { Spool } from "./spool.ts";

export interface SpoolCounters {
  drained(events: number): void;
  alarm(): void;
}

/** What `/metrics` tells of the spool, into `registry`. */
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
  gauge("spool_mode", "1 while clicks wait on this machine's disk for the event store, else 0.", () =>
    spool.depth().batches > 0 ? 1 : 0,
  );
  gauge("spool_waiting_events", "Clicks and impressions that wait in the spool.", () => spool.depth().events);
  gauge("spool_waiting_bytes", "Their bytes as stored.", () => spool.depth().bytes);
  gauge("spool_limit_bytes", "Bytes that may wait in the spool; beyond, clicks are lost.", () => limitBytes);
  gauge("spool_oldest_seconds", "How long the oldest batch in the spool has waited.", () => {
    const { oldestAt } = spool.depth();
    return oldestAt === null ? 0 : Math.max(0, Date.now() - oldestAt) / 1000;
  });
  const drained = counter("spool_drained_events_total", "Clicks and impressions brought from the spool to the log.");
  const alarms = counter("spool_alarms_total", "Streams of ours in which the log held what is not ours.");
  return { drained: (events) => drained.inc(events), alarm: () => alarms.inc() };
}
