import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { auditedEvent, auditedTypes } from "../../../domain/audit/audited-events.ts";
import { root } from "../../support/paths.ts";

const audited = suite("events in the audit trail");

audited("have all their data but secrets and large fields", () => {
  const leftOut = auditedTypes.flatMap((type) => {
    const stored = JSON.parse(readFileSync(join(root, `test/golden/${type}.v1.json`), "utf8"));
    const shown = auditedEvent(stored).data;
    const fields = Object.keys(stored.data).filter((field) => !Object.hasOwn(shown, field));
    return fields.length === 0 ? [] : [[type, ...fields]];
  });
  assert.equal(leftOut, [
    ["AppRegistered", "salt"],
    ["TokenIssued", "secretHashRest"],
    ["ExportCompleted", "resumePoints"],
    ["BundleRegistered", "training"],
    ["ChannelCertified", "secretHashRest"],
    ["WebhookCreated", "secretHash"],
    ["WebhookSecretRotated", "secretHash"],
  ]);
});

audited.run();
