import { Registry } from "prom-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { measureWebhooks } from "../../../infra/webhooks/metrics.ts";

const metrics = suite("metrics of webhooks");

for (const [title, countWaiting, shown] of [
  ["the number of waiting deliveries", async () => 3, "3"],
  ["no number when they cannot be counted", async () => Promise.reject(new Error("no connection")), "Nan"],
  ["no number when counting hangs", () => new Promise<number>(() => {}), "Nan"],
] as const) {
  metrics(`have ${title}`, async () => {
    const registry = new Registry();
    measureWebhooks(registry, countWaiting);
    const lines = (await registry.metrics()).split("\n");
    assert.equal(
      lines.filter((line) => line.startsWith("webhook_waiting_deliveries")),
      [`webhook_waiting_deliveries ${shown}`],
    );
  });
}

metrics.run();
