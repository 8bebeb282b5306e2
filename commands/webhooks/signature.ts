import { createHmac } from "node:crypto";
import type { WebhookSecret } from "../../domain/webhooks/events.ts";
import { sha256 } from "../derived-ids.ts";

const prefix = "whsec_";

/**
 * The text of a signing secret: `whsec_` and 32 bytes in base64. It is derived from the key of the instance and stored
 * nowhere (docs/decisions/025).
 */
export function secretText(signingKey: string, webhookId: string, secretId: string): string {
  const bytes = createHmac("sha256", signingKey).update(`webhook secret\n${webhookId}\n${secretId}`).digest();
  return `${prefix}${bytes.toString("base64")}`;
}

export function hashOfSecret(text: string): string {
  return sha256(text).toString("hex");
}

/** The secret was derived from another key than that of this process. */
export class SigningKeyChanged extends Error {
  override readonly name = "SigningKeyChanged";
}

/**
 * The text of a secret that was issued earlier.
 * @throws {SigningKeyChanged}
 */
export function issuedSecret(signingKey: string, webhookId: string, { secretId, secretHash }: WebhookSecret): string {
  const text = secretText(signingKey, webhookId, secretId);
  if (hashOfSecret(text) === secretHash) return text;
  throw new SigningKeyChanged(
    `The secret of webhook ${webhookId} was made with another URL_SIGNING_KEY: give every process the same one, or rotate the secret.`,
  );
}

/** The secrets of a webhook: the current one, and until some time the one before. */
export interface SigningWebhook extends WebhookSecret {
  readonly webhookId: string;
  readonly previousSecretId: string | null;
  readonly previousSecretHash: string | null;
  readonly previousUntil: Date | null;
}

/**
 * The texts of the secrets that requests are signed with now.
 * @throws {SigningKeyChanged}
 */
export function secretsOf(signingKey: string, webhook: SigningWebhook, now: Date): readonly string[] {
  const { webhookId, previousSecretId, previousSecretHash, previousUntil } = webhook;
  const current = issuedSecret(signingKey, webhookId, webhook);
  if (previousSecretId === null || previousSecretHash === null || previousUntil === null || now >= previousUntil) {
    return [current];
  }
  return [current, issuedSecret(signingKey, webhookId, { secretId: previousSecretId, secretHash: previousSecretHash })];
}

/**
 * The value of `webhook-signature` (contract/webhooks.md#signature): a signature for each secret, separated by spaces.
 * @param timestamp seconds since the epoch
 */
export function signatureOf(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
    })
    .join(" ");
}
