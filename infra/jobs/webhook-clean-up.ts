import type { Reactor } from "../../commands/reactors/reactor.ts";
import { minuteMs } from "../../domain/values/instants.ts";

export interface WebhookCleanUpDeps {
  /** Whether deliveries are to be dropped, or have failed because their webhook is disabled. */
  hasDeliveriesToEnd(): Promise<boolean>;
  endDeliveries(): Promise<void>;
}

/** Ends deliveries of disabled and deleted webhooks, and drops finished ones that are no longer kept. */
export function webhookCleanUp({
  hasDeliveriesToEnd,
  endDeliveries,
}: WebhookCleanUpDeps): Reactor<{ readonly appId: null }, null> {
  return {
    name: "webhook_clean_up",
    role: "webhooks",
    list: "control",
    adds: ({ type }) => type === "WebhookDisabled" || type === "WebhookDeleted",
    open: async () => ((await hasDeliveriesToEnd()) ? [{ appId: null }] : []),
    keyOf: () => "deliveries",
    act: async () => {
      await endDeliveries();
      return null;
    },
    record: async () => false,
    retry: { initialBackoffMs: minuteMs, maxBackoffMs: minuteMs, giveUp: null },
    limits: { maxConcurrent: 1, maxOpen: 1, pollMs: minuteMs },
  };
}
