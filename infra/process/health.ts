import { Gauge, type Registry } from "prom-client";
import { within } from "../http/request/time-limit.ts";
import type { Readiness, ReadinessCheck } from "../http/server/monitoring-endpoints.ts";

/** How the read models are doing, as far as readiness and metrics tell it. */
export interface ReadModelHealth {
  readonly groups: readonly {
    readonly group: string;
    readonly lagPositions: bigint;
    readonly lagSeconds: number;
    readonly failing: string | null;
  }[];
  readonly building: readonly string[];
  readonly parked: number;
  readonly isDegraded: boolean;
}

/** What is asked again and again, so that `/readyz` and `/metrics` answer at once. */
export interface Health {
  start(): void;
  stop(): Promise<void>;
  /** What the last look found. */
  readiness(): Readiness;
}

const lookMs = 1_000;
/** So that a store that hangs is told within five seconds. */
const lookWithinMs = 3_000;

/**
 * Looks at the log and the read models every second. Not ready: the process is stopping, the stores do not answer in
 * time, or a read model has no generation yet. Parked events degrade the answer and leave it ready.
 */
export function watchHealth(look: () => Promise<ReadModelHealth>, isUp: () => boolean, registry: Registry): Health {
  const gauges = createGauges(registry);
  let checks: Readiness["checks"] = { stores: { ok: false, detail: "not looked at yet" } };
  let looking: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;

  const lookOnce = async (): Promise<void> => {
    try {
      const health = await within(lookWithinMs, look());
      gauges(health);
      checks = { stores: { ok: true }, "read models": checkOf(health) };
    } catch {
      checks = { stores: { ok: false, detail: "the event store or the database does not answer" } };
    }
  };
  const again = (): void => {
    looking = lookOnce().finally(() => {
      if (timer !== null) timer = setTimeout(again, lookMs);
    });
  };

  return {
    start: () => {
      timer = setTimeout(again, 0);
    },
    stop: async () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      await looking;
    },
    readiness: () => ({ ready: isUp() && Object.values(checks).every(({ ok }) => ok), checks }),
  };
}

function checkOf({ building, parked, groups, isDegraded }: ReadModelHealth): ReadinessCheck {
  if (building.length > 0) return { ok: false, detail: `being built: ${building.join(", ")}` };
  if (!isDegraded) return { ok: true };
  const stuck = groups.filter(({ failing }) => failing !== null).map(({ group }) => `${group} does not get on`);
  return { ok: true, detail: ["degraded", ...stuck, ...(parked > 0 ? [`${parked} events parked`] : [])].join("; ") };
}

function createGauges(registry: Registry): (health: ReadModelHealth) => void {
  const gauge = (name: string, help: string, labelNames: string[] = []): Gauge =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const behind = gauge("projection_lag_positions", "Positions of the log that a group has yet to apply.", ["group"]);
  const waited = gauge("projection_lag_seconds", "How long the oldest event not yet applied has waited.", ["group"]);
  const parked = gauge("projection_parked_events", "Events that could not be applied to a read model and are parked.");
  return (health) => {
    for (const { group, lagPositions, lagSeconds } of health.groups) {
      behind.set({ group }, Number(lagPositions));
      waited.set({ group }, lagSeconds);
    }
    parked.set(health.parked);
  };
}
