import { Counter, Gauge, type Registry } from "prom-client";
import { singleFlight } from "../process/single-flight.ts";
import { within } from "../process/time-limit.ts";

/** Then the metrics respond without the number. */
const countTimeoutMs = 500;

/**
 * Measures webhooks, and returns the counter of their requests.
 * @param countWaiting deliveries and notifications that wait; while it fails or hangs, the gauge has no number
 */
export function measureWebhooks(registry: Registry, countWaiting: () => Promise<number>): Counter<"result"> {
  const countOnce = singleFlight(countWaiting);
  new Gauge({
    name: "webhook_waiting_deliveries",
    help: "Deliveries that wait to be sent, by events and for another attempt.",
    registers: [registry],
    async collect() {
      this.set(await within(countTimeoutMs, countOnce()).catch(() => Number.NaN));
    },
  });
  return new Counter({
    name: "webhook_requests_total",
    help: "Requests to webhooks by result: delivered, or why not.",
    labelNames: ["result"],
    registers: [registry],
  });
}
