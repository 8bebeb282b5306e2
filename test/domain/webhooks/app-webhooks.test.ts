import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type AppWebhooksCommand, appWebhooks, shownWebhook } from "../../../domain/webhooks/app-webhooks.ts";
import type { WebhookEvent, WebhookSettings } from "../../../domain/webhooks/events.ts";
import { maxWebhooks } from "../../../domain/webhooks/limits.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { addRules, fold } from "../../support/decider-specification.ts";

const of = { webhookId: "hook-1", appId: 1 };
const settings: WebhookSettings = { url: "https://hooks.example/", types: ["upload.finished"], description: null };
const secret = (secretId: string) => ({ secretId, secretHash: "ab".repeat(32) });
const [sunday, monday, tuesday, friday] = [
  "2026-03-29T00:00:00.000Z",
  "2026-03-30T00:00:00.000Z",
  "2026-03-31T00:00:00.000Z",
  "2026-04-03T00:00:00.000Z",
];

const created = (webhookId = "hook-1"): WebhookEvent => ({
  type: "WebhookCreated",
  data: { ...of, webhookId, ...settings, ...secret("first"), at: monday },
});
const create = (webhookId = "hook-1") =>
  ({ type: "CreateWebhook", ...of, webhookId, ...settings, ...secret("first"), at: monday }) as const;
type Change = Extract<AppWebhooksCommand, { type: "ChangeWebhook" }>;
const change = (changes: Change["changes"], rotation: Change["rotation"] = null): Change => ({
  ...{ type: "ChangeWebhook", ...of, changes, rotation, at: tuesday },
});
const disable = (failingSince: string, settingsAt = monday) =>
  ({ type: "DisableWebhook", ...of, settingsAt, reason: "failing", failingSince }) as const;
const disabled = (failingSince: string): WebhookEvent => ({
  type: "WebhookDisabled",
  data: { ...of, reason: "failing", failingSince },
});
const disabledByCaller: WebhookEvent = {
  type: "WebhookDisabled",
  data: { ...of, reason: "requested", failingSince: null },
};
const enabled: WebhookEvent = { type: "WebhookEnabled", data: { ...of, at: tuesday } };
const changedTo = (changes: object): WebhookEvent => ({
  type: "WebhookChanged",
  data: { ...of, ...settings, ...changes, at: tuesday },
});
const rotation = { ...secret("second"), previousUntil: friday };
const rotated: WebhookEvent = { type: "WebhookSecretRotated", data: { ...of, ...rotation } };
const deleted: WebhookEvent = { type: "WebhookDeleted", data: of };
const remove = { type: "DeleteWebhook", ...of } as const;
const several = (count: number) => Array.from({ length: count }, (_, index) => created(exampleUuid("hook", index)));
const notFound = { rejected: "WEBHOOK_NOT_FOUND" } as const;

const webhooks = suite("the webhooks of an app");

addRules(webhooks, appWebhooks, [
  ["are created", [], create(), [created()]],
  ["are created once", [created()], create(), []],
  ["are at most 20", several(maxWebhooks), create(), { rejected: "WEBHOOK_LIMIT_REACHED" }],
  ["may be the 20th", several(maxWebhooks - 1), create(), [created()]],
  ["make room when one is deleted", [...several(maxWebhooks - 1), created(), deleted], create(), [created()]],
  [
    "are changed, and keep what is absent",
    [created()],
    change({ url: "https://b.example/" }),
    [changedTo({ url: "https://b.example/" })],
  ],
  ["do not change to what they are", [created()], change({ ...settings, enabled: true }), []],
  [
    "change to another type",
    [created()],
    change({ types: ["report.finished"] }),
    [changedTo({ types: ["report.finished"] })],
  ],
  [
    "do not change to their types in another order",
    [created(), changedTo({ types: ["upload.finished", "report.finished"] })],
    change({ types: ["report.finished", "upload.finished"] }),
    [],
  ],
  ["get a new secret", [created()], change({}, rotation), [rotated]],
  ["get it once", [created(), rotated], change({}, rotation), []],
  ["are disabled by a caller", [created()], change({ enabled: false }), [disabledByCaller]],
  ["are enabled again", [created(), disabledByCaller], change({ enabled: true }), [enabled]],
  [
    "change all at once",
    [created(), disabledByCaller],
    change({ description: "B", enabled: true }, rotation),
    [changedTo({ description: "B" }), rotated, enabled],
  ],
  ["are disabled when they only fail", [created()], disable(monday), [disabled(monday)]],
  ["are disabled when the clock of the failures is behind", [created()], disable(sunday), [disabled(sunday)]],
  [
    "are disabled when they only fail after a change",
    [created(), changedTo({})],
    disable(friday, tuesday),
    [disabled(friday)],
  ],
  ["are disabled once", [created(), disabled(monday)], disable(monday), []],
  ["stay enabled when they were enabled again", [created(), disabledByCaller, enabled], disable(monday), []],
  [
    "stay enabled when they were changed, whatever the clock of the failures says",
    [created(), changedTo({ url: "https://b.example/" })],
    disable(friday),
    [],
  ],
  ["of which one is deleted are not disabled", [created(), deleted], disable(monday), []],
  ["are deleted", [created()], remove, [deleted]],
  ["are deleted once", [created(), deleted], remove, notFound],
  ["cannot be changed when they are unknown", [], change({}), notFound],
]);

webhooks("are returned without their secrets, with the reason why they are disabled", () => {
  const webhook = fold(appWebhooks, [created(), rotated, disabled(tuesday)]).get("hook-1");
  if (webhook === undefined) throw new Error("it was created");
  assert.equal(shownWebhook("hook-1", webhook), {
    ...{ id: "hook-1", ...settings, createdAt: monday },
    ...{ enabled: false, disabledReason: "failing", failingSince: tuesday },
  });
});

webhooks.run();
