import { createHmac, hash } from "node:crypto";

/** SHA-256 of a text or bytes. A `Hash` object would take twice as long. */
export function sha256(input: string | Uint8Array): Buffer {
  return hash("sha256", input, "buffer");
}

/**
 * A UUIDv8 made from names: the same names, the same id, in every process. Event ids and generated ids come from the
 * command id this way, so that an ambiguous time-out can be retried safely.
 */
export function derivedUuid(...names: readonly (string | number)[]): string {
  return uuidFrom(sha256(names.join("\n")));
}

/** A device's `userId`, a UUIDv8 of HMAC(the app's salt, device id) (contract/ingest.md#devices). */
export function deviceKey(salt: string, deviceId: string): string {
  return uuidFrom(createHmac("sha256", Buffer.from(salt, "hex")).update(deviceId).digest());
}

/** The id of a click that a partner reports with a click id of its own (contract/tracking-links.md#partner-calls). */
export function partnerClick(appId: number, channel: string, partnerClickId: string): string {
  return derivedUuid("click", appId, channel, partnerClickId);
}

function uuidFrom(digest: Buffer): string {
  const hex = digest.toString("hex", 0, 16);
  const variant = (Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant.toString(16)}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
