import { type Fault, fault } from "../../domain/fault.ts";
import { parsedUrl } from "../../domain/values/url.ts";
import type { NotificationType } from "../../domain/webhooks/events.ts";

const notificationTypes = [
  ...(["attribution.decided", "attribution.revised"] as const),
  ...(["upload.finished", "report.finished", "export.finished"] as const),
] as const satisfies readonly NotificationType[];
const url = { type: "string", minLength: 1, maxLength: 2048, format: "http-url" } as const;
const types = {
  type: "array",
  minItems: 1,
  maxItems: notificationTypes.length,
  uniqueItems: true,
  items: { type: "string", enum: notificationTypes },
} as const;
const description = { type: ["string", "null"], minLength: 1, maxLength: 256 } as const;

/** Body of a creation (contract/webhooks.md#webhooks). */
export const createBody = {
  type: "object",
  required: ["url", "types"],
  additionalProperties: false,
  properties: { url, types, description },
} as const;

/** Body of a change; absent fields stay as they are. */
export const changeBody = {
  type: "object",
  additionalProperties: false,
  properties: { url, types, description, enabled: { type: "boolean" }, rotateSecret: { type: "boolean" } },
} as const;

/** Which addresses may be called, as far as the address alone shows it (contract/webhooks.md#addresses). */
export interface AddressRules {
  /** Whether private networks, and plain HTTP, may be called. */
  readonly allowsPrivate: boolean;
  /** Whether the host of a URL is an IP address that is not public, or `localhost`. */
  isPrivateHost(hostname: string): boolean;
}

/** The faults of an address, with a path that begins at the body. Names are resolved when a request is sent. */
export function addressFaults(
  { url: text }: { readonly url?: string | undefined },
  { allowsPrivate, isPrivateHost }: AddressRules,
): readonly Fault[] {
  const url = text === undefined || allowsPrivate ? null : parsedUrl(text);
  if (url === null) return [];
  const { protocol, hostname } = url;
  if (protocol !== "https:") return [fault("not_allowed.plain_http", ["url"])];
  return isPrivateHost(hostname) ? [fault("not_allowed.private_address", ["url"])] : [];
}
