import { Registry } from "prom-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { measureWebhooks } from "../../../infra/webhooks/webhook-metrics.ts";

const metrics = suite("metrics of webhooks");
const now = new Date("2026-03-31T12:00:00.000Z");
const anHourAgo = new Date("2026-03-31T11:00:00.000Z");

for (const [title, readBacklogs, shown] of [
  [
    "waiting deliveries, and for how long a webhook has failed",
    async () => ({ waiting: 3, failingSince: anHourAgo }),
    [3, 3_600],
  ],
  ["zeros when nothing waits or fails", async () => ({ waiting: 0, failingSince: null }), [0, 0]],
  ["no numbers when they cannot be read", async () => Promise.reject(new Error("no connection")), ["Nan", "Nan"]],
  ["no numbers when reading hangs", () => new Promise<never>(() => {}), ["Nan", "Nan"]],
] as const) {
  metrics(`have ${title}`, async () => {
    const registry = new Registry();
    measureWebhooks(registry, readBacklogs, () => now);
    const lines = (await registry.metrics()).split("\n");
    assert.equal(
      lines.filter((line) => /^webhook_(waiting|failing)/.test(line)),
      [`webhook_waiting_deliveries ${shown[0]}`, `webhook_failing_seconds ${shown[1]}`],
    );
    assert.is(lines.filter((line) => /^webhook_requests_total\{result="\w+"\} 0$/.test(line)).length, 6);
  });
}

metrics.run();
