import { Counter, Gauge, type Registry } from "prom-client";
import type { AttemptFailure } from "../../domain/webhooks/retries.ts";
import { singleFlight } from "../process/single-flight.ts";
import { within } from "../process/time-limit.ts";

/** Then the metrics respond without the numbers. */
const readTimeoutMs = 500;

/** A counter with a label begins without samples, and `rate` does not see the first. */
const results: { readonly [result in AttemptFailure | "delivered"]: 0 } = {
  ...{ delivered: 0, blocked_address: 0, connection: 0, name_not_found: 0, status: 0, timeout: 0 },
};

interface Backlogs {
  /** Deliveries and notifications that wait. */
  readonly waiting: number;
  /** Since when all requests to some webhook have failed; null: to none. */
  readonly failingSince: Date | null;
}

/**
 * Measures webhooks, and returns the counter of their requests.
 * @param readBacklogs while it fails or hangs, the gauges have no number
 */
export function measureWebhooks(
  registry: Registry,
  readBacklogs: () => Promise<Backlogs>,
  now: () => Date,
): Counter<"result"> {
  const readOnce = singleFlight(readBacklogs);
  const gauge = (name: string, help: string, read: (backlogs: Backlogs) => number): void => {
    new Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        this.set(await within(readTimeoutMs, readOnce()).then(read, () => Number.NaN));
      },
    });
  };
  gauge(
    "webhook_waiting_deliveries",
    "Deliveries that wait to be sent, by events and for another attempt.",
    ({ waiting }) => waiting,
  );
  gauge(
    "webhook_failing_seconds",
    "For how long all requests to some enabled webhook have failed; 0 without one.",
    ({ failingSince }) => (failingSince === null ? 0 : Math.max(0, (now().getTime() - failingSince.getTime()) / 1_000)),
  );
  const requests = new Counter({
    name: "webhook_requests_total",
    help: "Requests to webhooks by result: delivered, or why not.",
    labelNames: ["result"],
    registers: [registry],
  });
  for (const [result, none] of Object.entries(results)) requests.inc({ result }, none);
  return requests;
}
