import type { Registry } from "prom-client";
import type { FreeSpace } from "../data-directory/free-space.ts";
import { EventLogRefused, EventLogUnavailable } from "../event-log/event-log.ts";
import type { Readiness, ReadinessCheck } from "../http/server/monitoring-endpoints.ts";
import { healthGauges } from "./health-metrics.ts";
import { TimeLimitExceeded, within } from "./time-limit.ts";

/** The state of the read models, for readiness and metrics. */
export interface ReadModelHealth {
  readonly groups: readonly {
    readonly group: string;
    readonly lagPositions: bigint;
    readonly lagSeconds: number;
    readonly failing: string | null;
  }[];
  /** Read models that this process cannot read. */
  readonly unreadable: readonly string[];
  readonly parked: number;
  readonly isDegraded: boolean;
  /** Whether this process runs the projections. */
  readonly isRunning: boolean;
  /** Whether a process of the deployment runs the projections. */
  readonly hasLeader: boolean;
}

export interface HealthOptions {
  readonly check: () => Promise<ReadModelHealth>;
  readonly isUp: () => boolean;
  /** Whether this process serves the API. */
  readonly servesRequests: boolean;
  readonly disk: FreeSpace;
  readonly registry: Registry;
}

/** The cached state of the stores and read models: `/readyz` and `/metrics` respond at once. */
export interface Health {
  start(): void;
  stop(): Promise<void>;
  /** The result of the last check. */
  readiness(): Readiness;
}

/** Well above the duration of a full batch, and of the election of another leader. */
const maxLagSeconds = 60;
const checkIntervalMs = 1_000;
/** So that a process that starts, or whose stores are back, is ready soon. */
const unreadyCheckIntervalMs = 200;
/** With the interval, a store that hangs is reported within five seconds. */
const checkTimeoutMs = 3_000;

/**
 * Checks the log and the read models every second, and five times a second while not ready. Not ready while the process is
 * stopping, the stores do not respond in time, the disk is nearly full, or a read model cannot be read; one that serves no
 * requests needs to read them only while it runs the projections. It is not ready either while no process runs them, or
 * while they lag by more than a minute. A process that serves requests reports both as degraded, but ready, as it does
 * parked events.
 */
export function watchHealth({ check, isUp, servesRequests, disk, registry }: HealthOptions): Health {
  const readiness = (): Readiness => ({ ready: isUp() && Object.values(checks).every(({ ok }) => ok), checks });
  const gauges = healthGauges(registry, () => readiness().ready);
  let checks: Readiness["checks"] = { stores: { ok: false, detail: "not checked yet" } };
  let checking: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;

  const checkOnce = async (): Promise<void> => {
    try {
      const health = await within(checkTimeoutMs, check());
      gauges.set(health);
      checks = { stores: { ok: true }, "read models": checkOf(health, servesRequests) };
    } catch (failure) {
      gauges.setUnknown();
      checks = { stores: { ok: false, detail: storeFault(failure) } };
    }
    const fault = diskFault(disk);
    if (fault !== null) checks = { ...checks, disk: { ok: false, detail: fault } };
  };
  const again = (): void => {
    checking = checkOnce().finally(() => {
      if (timer !== null) timer = setTimeout(again, readiness().ready ? checkIntervalMs : unreadyCheckIntervalMs);
    });
  };

  return {
    start: () => {
      timer = setTimeout(again, 0);
    },
    stop: async () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      await checking;
    },
    readiness,
  };
}

function storeFault(failure: unknown): string {
  if (failure instanceof EventLogRefused) return "the event store refuses the user of EVENTSTORE_URL";
  if (failure instanceof EventLogUnavailable) return "the event store does not respond";
  const store = failure instanceof TimeLimitExceeded ? "the event store or the database" : "the database";
  return `${store} does not respond`;
}

function diskFault(disk: FreeSpace): string | null {
  try {
    return disk.hasRoomFor(1) ? null : "nearly full: events are refused";
  } catch {
    return "the data directory cannot be read";
  }
}

function checkOf(health: ReadModelHealth, servesRequests: boolean): ReadinessCheck {
  const { unreadable, parked, groups, isDegraded, isRunning, hasLeader } = health;
  if (unreadable.length > 0 && (servesRequests || isRunning))
    return { ok: false, detail: `cannot be read: ${unreadable.join(", ")}` };
  const late = groups.filter(({ lagSeconds }) => lagSeconds > maxLagSeconds);
  const behind = late.map(({ group, lagSeconds }) => `projection group ${group} is ${Math.floor(lagSeconds)} s behind`);
  const standing = hasLeader ? behind : ["no process runs the projections", ...behind];
  if (!isDegraded && standing.length === 0) return { ok: true };
  const failing = groups.filter((group) => group.failing !== null);
  const reasons = failing.map(({ group }) => `projection group ${group} is failing`);
  const detail = ["degraded", ...standing, ...reasons, ...(parked > 0 ? [`${parked} events parked`] : [])].join("; ");
  return { ok: servesRequests || standing.length === 0, detail };
}
