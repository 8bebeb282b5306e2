// NOTE storage format
import type { DomainEvent } from "../event.ts";

/** The types of notifications (contract/webhooks.md#types). */
export type NotificationType =
  | "attribution.decided"
  | "attribution.revised"
  | "upload.finished"
  | "report.finished"
  | "export.finished";

interface OfWebhook {
  readonly webhookId: string;
  readonly appId: number;
}

/** The changeable settings of a webhook. */
export interface WebhookSettings {
  readonly url: string;
  /** Each once. */
  readonly types: readonly NotificationType[];
  readonly description: string | null;
}

/** A signing secret: it is derived from its id, and is in no event (docs/decisions/025). */
export interface WebhookSecret {
  readonly secretId: string;
  /** SHA-256 of the secret's text, hex. */
  readonly secretHash: string;
}

/** A webhook is enabled from its creation on. */
export type WebhookCreated = DomainEvent<
  "WebhookCreated",
  OfWebhook & WebhookSettings & WebhookSecret & { readonly at: string }
>;

export type WebhookChanged = DomainEvent<"WebhookChanged", OfWebhook & WebhookSettings & { readonly at: string }>;

/** Requests are signed with both secrets until `previousUntil`. */
export type WebhookSecretRotated = DomainEvent<
  "WebhookSecretRotated",
  OfWebhook & WebhookSecret & { readonly previousUntil: string }
>;

export type WebhookEnabled = DomainEvent<"WebhookEnabled", OfWebhook & { readonly at: string }>;

/** By a caller, after five days without a successful delivery, or because the receiver responded with 410. */
export type DisabledReason = "requested" | "failing" | "gone";

export type WebhookDisabled = DomainEvent<
  "WebhookDisabled",
  OfWebhook & {
    readonly reason: DisabledReason;
    /** Since when every delivery failed; null when a caller disabled it. */
    readonly failingSince: string | null;
  }
>;

export type WebhookDeleted = DomainEvent<"WebhookDeleted", OfWebhook>;

export type WebhookEvent =
  | WebhookCreated
  | WebhookChanged
  | WebhookSecretRotated
  | WebhookEnabled
  | WebhookDisabled
  | WebhookDeleted;
