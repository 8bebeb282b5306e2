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
export function issuedSecret(signingKey: string, webhookId: string, secret: WebhookSecret): string {
  const text = derivedSecret(signingKey, webhookId, secret);
  if (text !== null) return text;
  throw new SigningKeyChanged(
    `The secret of webhook ${webhookId} was made with another URL_SIGNING_KEY: give every process the same one, or rotate the secret.`,
  );
}

/** Null for a secret that was made with another key. */
function derivedSecret(signingKey: string, webhookId: string, { secretId, secretHash }: WebhookSecret): string | null {
  const text = secretText(signingKey, webhookId, secretId);
  return hashOfSecret(text) === secretHash ? text : null;
}

/** The secrets of a webhook: the current one, and until some time the one before. */
export interface SigningWebhook extends WebhookSecret {
  readonly webhookId: string;
  readonly previousSecretId: string | null;
  readonly previousSecretHash: string | null;
  readonly previousUntil: Date | null;
}

/**
 * The texts of the secrets that requests are signed with now. The one before is left out if it was made with another key:
 * the rotation has replaced it for that reason.
 * @throws {SigningKeyChanged} when the current one was
 */
export function secretsOf(signingKey: string, webhook: SigningWebhook, now: Date): readonly string[] {
  const { webhookId, previousSecretId: secretId, previousSecretHash: secretHash, previousUntil } = webhook;
  const current = issuedSecret(signingKey, webhookId, webhook);
  if (secretId === null || secretHash === null || previousUntil === null || now >= previousUntil) return [current];
  const previous = derivedSecret(signingKey, webhookId, { secretId, secretHash });
  return previous === null ? [current] : [current, previous];
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
