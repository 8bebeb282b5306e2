import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { webhookDeliverer } from "../../../commands/webhooks/deliverer.ts";
import type { DelivererDeps, WebhookToServe } from "../../../commands/webhooks/delivery.ts";
import { root } from "../../support/paths.ts";

const deliverer = suite("the deliverer of webhooks");

deliverer("serves 16 webhooks at once, as the contract says", () => {
  const { limits } = webhookDeliverer({} as DelivererDeps<WebhookToServe>);
  assert.is(limits.maxConcurrent, 16);
  const page = readFileSync(join(root, "docs/contract/webhooks.md"), "utf8");
  assert.match(page, /^\| requests at once \| 20 to a webhook, 16 webhooks \|$/m);
});

deliverer.run();
