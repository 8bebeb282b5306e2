import { maxOriginLength } from "../../infra/http/request/formats.ts";

const httpUrl = { type: ["string", "null"], maxLength: 2048, format: "http-url" } as const;

const changeable = {
  companyName: { type: ["string", "null"], minLength: 1, maxLength: 256 },
  ownerEmail: { type: "string", maxLength: 254, format: "email" },
  iosStoreId: { type: ["string", "null"], title: "ios-store-id", pattern: "^[A-Za-z0-9.]{1,64}$" },
  androidPackage: {
    type: ["string", "null"],
    maxLength: 255,
    title: "android-package",
    pattern: "^[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z][A-Za-z0-9_]*)+$",
  },
  iosStoreUrl: httpUrl,
  androidStoreUrl: httpUrl,
  desktopUrl: httpUrl,
  redirectHosts: {
    type: "array",
    maxItems: 100,
    items: { type: "string", maxLength: 253, format: "host-name" },
  },
  iosAppIds: {
    type: "array",
    maxItems: 10,
    uniqueItems: true,
    items: { type: "string", maxLength: 166, format: "ios-app-id" },
  },
  androidCertificates: {
    type: "array",
    maxItems: 10,
    uniqueItems: true,
    items: { type: "string", maxLength: 95, format: "certificate-fingerprint" },
  },
  allowedOrigins: {
    type: "array",
    maxItems: 100,
    uniqueItems: true,
    items: { type: "string", maxLength: maxOriginLength, format: "origin" },
  },
} as const;

/** Body of `POST /admin/v1/apps` (contract/administration.md#apps). */
export const registerBody = {
  type: "object",
  required: ["name", "timezone", "currency", "ownerEmail"],
  additionalProperties: false,
  properties: {
    name: { type: "string", title: "app-name", pattern: "^[a-z][a-z0-9_]{2,39}$" },
    timezone: { type: "string", maxLength: 64, format: "time-zone" },
    currency: { type: "string", format: "currency" },
    ...changeable,
  },
} as const;

/** Body of `PATCH /admin/v1/apps/{app_name}` (contract/administration.md#apps). */
export const changeBody = { type: "object", additionalProperties: false, properties: changeable } as const;

/** Hosts compare in lower case, each once. */
export function distinctHosts(hosts: readonly string[]): readonly string[] {
  return [...new Set(hosts.map((host) => host.toLowerCase()))];
}
