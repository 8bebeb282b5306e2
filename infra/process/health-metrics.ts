import { Gauge, type Registry } from "prom-client";

/** How far behind the log the read models are. */
interface ReadModelLag {
  readonly groups: readonly { readonly group: string; readonly lagPositions: bigint; readonly lagSeconds: number }[];
  readonly parked: number;
}

/** The metrics of the health of a process. */
export interface HealthGauges {
  set(lag: ReadModelLag): void;
  /** The stores do not respond: the last numbers may be wrong. */
  setUnknown(): void;
}

export function healthGauges(registry: Registry, isReady: () => boolean): HealthGauges {
  const gauge = (name: string, help: string, labelNames: string[] = []): Gauge =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  new Gauge({
    name: "ready",
    help: "1 while /readyz responds with 200, otherwise 0.",
    registers: [registry],
    collect() {
      this.set(isReady() ? 1 : 0);
    },
  });
  const behind = gauge("projection_lag_positions", "Positions of the log that a group has not applied yet.", ["group"]);
  const waited = gauge("projection_lag_seconds", "Age of the oldest event that a group has not applied yet.", [
    "group",
  ]);
  const parked = gauge("projection_parked_events", "Events that could not be applied to a read model and are parked.");
  return {
    set: ({ groups, parked: parkedEvents }) => {
      for (const { group, lagPositions, lagSeconds } of groups) {
        behind.set({ group }, Number(lagPositions));
        waited.set({ group }, lagSeconds);
      }
      parked.set(parkedEvents);
    },
    setUnknown: () => {
      behind.reset();
      waited.reset();
      parked.set(Number.NaN);
    },
  };
}
