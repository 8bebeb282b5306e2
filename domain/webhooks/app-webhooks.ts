import { assertNever, type Decider, type Rejection } from "../decider.ts";
import type { DisabledReason, WebhookEvent, WebhookSecret, WebhookSettings } from "./events.ts";
import { maxWebhooks } from "./limits.ts";

interface OfWebhook {
  readonly appId: number;
  readonly webhookId: string;
}

export type AppWebhooksCommand =
  | ({ readonly type: "CreateWebhook"; readonly at: string } & OfWebhook & WebhookSettings & WebhookSecret)
  | ({
      readonly type: "ChangeWebhook";
      readonly at: string;
      /** Absent fields stay as they are. */
      readonly changes: Partial<WebhookSettings> & { readonly enabled?: boolean };
      /** Null: the secret stays. */
      readonly rotation: (WebhookSecret & { readonly previousUntil: string }) | null;
    } & OfWebhook)
  | ({
      readonly type: "DisableWebhook";
      /** `since` of the settings that failed. */
      readonly settingsAt: string;
      readonly reason: Exclude<DisabledReason, "requested">;
      readonly failingSince: string;
    } & OfWebhook)
  | ({ readonly type: "DeleteWebhook" } & OfWebhook);

export interface WebhookState extends WebhookSettings {
  readonly secretId: string;
  readonly createdAt: string;
  /** Null: it is enabled. */
  readonly disabledReason: DisabledReason | null;
  readonly failingSince: string | null;
  /** When it was created, enabled or changed last: failures before do not count. */
  readonly since: string;
}

/** The webhooks of the app by their ids, without those that are deleted. */
export type AppWebhooksState = ReadonlyMap<string, WebhookState>;

export type AppWebhooksRejection = "WEBHOOK_LIMIT_REACHED" | "WEBHOOK_NOT_FOUND";

type Decision = readonly WebhookEvent[] | Rejection<AppWebhooksRejection>;
type CommandOf<Type extends AppWebhooksCommand["type"]> = Extract<AppWebhooksCommand, { readonly type: Type }>;

function decide(command: AppWebhooksCommand, state: AppWebhooksState): Decision {
  switch (command.type) {
    case "CreateWebhook":
      return createWebhook(command, state);
    case "ChangeWebhook":
      return changeWebhook(command, state);
    case "DisableWebhook":
      return disableWebhook(command, state);
    case "DeleteWebhook":
      return deleteWebhook(command, state);
    default:
      return assertNever(command);
  }
}

function createWebhook({ type: _, ...data }: CommandOf<"CreateWebhook">, state: AppWebhooksState): Decision {
  if (state.has(data.webhookId)) return [];
  if (state.size >= maxWebhooks) return { rejected: "WEBHOOK_LIMIT_REACHED" };
  return [{ type: "WebhookCreated", data }];
}

function changeWebhook(command: CommandOf<"ChangeWebhook">, state: AppWebhooksState): Decision {
  const { appId, webhookId, at, changes, rotation } = command;
  const current = state.get(webhookId);
  if (current === undefined) return { rejected: "WEBHOOK_NOT_FOUND" };
  const isEnabled = current.disabledReason === null;
  const { enabled = isEnabled, ...given } = changes;
  const before = { url: current.url, types: current.types, description: current.description };
  const after = { ...before, ...given };
  const of = { webhookId, appId };
  const events: WebhookEvent[] = [];
  if (!areSame(before, after)) events.push({ type: "WebhookChanged", data: { ...of, ...after, at } });
  if (rotation !== null && rotation.secretId !== current.secretId) {
    events.push({ type: "WebhookSecretRotated", data: { ...of, ...rotation } });
  }
  if (enabled && !isEnabled) events.push({ type: "WebhookEnabled", data: { ...of, at } });
  if (!enabled && isEnabled) {
    events.push({ type: "WebhookDisabled", data: { ...of, reason: "requested", failingSince: null } });
  }
  return events;
}

/** Decides nothing when the webhook was changed or enabled since: its failures were those of other settings. */
function disableWebhook(command: CommandOf<"DisableWebhook">, state: AppWebhooksState): Decision {
  const { type: _, settingsAt, ...data } = command;
  const current = state.get(data.webhookId);
  if (current === undefined || current.disabledReason !== null) return [];
  if (settingsAt !== current.since) return [];
  return [{ type: "WebhookDisabled", data }];
}

function deleteWebhook({ webhookId, appId }: CommandOf<"DeleteWebhook">, state: AppWebhooksState): Decision {
  if (!state.has(webhookId)) return { rejected: "WEBHOOK_NOT_FOUND" };
  return [{ type: "WebhookDeleted", data: { webhookId, appId } }];
}

function evolve(state: AppWebhooksState, event: WebhookEvent): AppWebhooksState {
  switch (event.type) {
    case "WebhookCreated": {
      const { webhookId, appId: _, secretHash: __, at, ...settings } = event.data;
      return new Map(state).set(webhookId, {
        ...settings,
        ...{ createdAt: at, since: at, disabledReason: null, failingSince: null },
      });
    }
    case "WebhookChanged": {
      const { webhookId, appId: _, at, ...settings } = event.data;
      return changed(state, webhookId, { ...settings, since: at });
    }
    case "WebhookSecretRotated":
      return changed(state, event.data.webhookId, { secretId: event.data.secretId });
    case "WebhookEnabled":
      return changed(state, event.data.webhookId, {
        ...{ since: event.data.at, disabledReason: null, failingSince: null },
      });
    case "WebhookDisabled": {
      const { webhookId, reason, failingSince } = event.data;
      return changed(state, webhookId, { disabledReason: reason, failingSince });
    }
    case "WebhookDeleted":
      return new Map([...state].filter(([webhookId]) => webhookId !== event.data.webhookId));
    default:
      return assertNever(event);
  }
}

function changed(state: AppWebhooksState, webhookId: string, change: Partial<WebhookState>): AppWebhooksState {
  const current = state.get(webhookId);
  return current === undefined ? state : new Map(state).set(webhookId, { ...current, ...change });
}

function areSame(one: WebhookSettings, other: WebhookSettings): boolean {
  return (
    one.url === other.url &&
    one.description === other.description &&
    one.types.length === other.types.length &&
    one.types.every((type) => other.types.includes(type))
  );
}

/** A webhook in a response (contract/webhooks.md#webhooks). Instants are Dates or ISO 8601. */
export function shownWebhook(
  id: string,
  webhook: WebhookSettings & {
    readonly disabledReason: DisabledReason | null;
    readonly failingSince: Date | string | null;
    readonly createdAt: Date | string;
  },
) {
  const { url, types, description, disabledReason, failingSince, createdAt } = webhook;
  return { id, url, types, description, enabled: disabledReason === null, disabledReason, failingSince, createdAt };
}

/** The webhooks of one app (contract/webhooks.md#webhooks). */
export const appWebhooks: Decider<AppWebhooksCommand, WebhookEvent, AppWebhooksState, AppWebhooksRejection> = {
  initialState: new Map(),
  decide,
  evolve,
};
