import { featureNames } from "../../../domain/prediction/features.ts";
import {
  boolean,
  instant,
  integer,
  listOf,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  position,
  text,
  uuid,
} from "./route-docs.ts";

// Parts of responses that commands and queries share, each with an example.

const nullableText = nullable(text);

export const app = object({
  id: integer,
  name: text,
  timezone: text,
  currency: text,
  companyName: nullableText,
  ownerEmail: text,
  iosStoreId: nullableText,
  androidPackage: nullableText,
  iosStoreUrl: nullableText,
  androidStoreUrl: nullableText,
  desktopUrl: nullableText,
  redirectHosts: listOf(text),
  allowedOrigins: listOf(text),
  iosAppIds: listOf(text),
  androidCertificates: listOf(text),
  registeredAt: instant,
});

export const appExample = {
  id: 1,
  name: "shop",
  timezone: "Asia/Seoul",
  currency: "KRW",
  companyName: null,
  ownerEmail: "owner@shop.example",
  iosStoreId: "123456789",
  androidPackage: "example.shop",
  iosStoreUrl: null,
  androidStoreUrl: null,
  desktopUrl: "https://shop.example/",
  redirectHosts: [],
  allowedOrigins: ["https://shop.example"],
  iosAppIds: ["ABCDE12345.example.shop"],
  androidCertificates: [],
  registeredAt: "2026-01-01T00:00:00.000Z",
};

const grant = {
  id: text,
  kind: oneOf("api", "link", "sdk", "web"),
  role: nullable(oneOf("owner", "in_house_marketer", "agency", "media_partner")),
  channels: listOf(text),
  label: nullableText,
  issuedAt: instant,
  revokedAt: nullable(instant),
};

export const token = object({ ...grant, lastUsedAt: nullable(instant) });
export const issuedToken = object({ ...grant, secret: text });
export const tokenExample = {
  id: "0f".repeat(16),
  kind: "api",
  role: "agency",
  channels: [],
  label: "the agency",
  issuedAt: "2026-01-01T00:00:00.000Z",
  revokedAt: null,
};

export const channel = object({
  name: text,
  displayName: text,
  type: oneOf("integrated", "custom"),
  selfAttributing: boolean,
  costIntegrated: boolean,
});

export const channelExample = {
  name: "partner",
  displayName: "Partner",
  type: "integrated",
  selfAttributing: false,
  costIntegrated: true,
};

const windows = object({ device: text, probabilistic: text });
const lookbacks = { click: windows, impression: windows };
export const attributionRules = object({
  ...lookbacks,
  attributionWindow: text,
  channels: mapOf(object(lookbacks)),
});

export const attributionRulesExample = {
  click: { device: "7d", probabilistic: "24h" },
  impression: { device: "24h", probabilistic: "6h" },
  attributionWindow: "30d",
  channels: {},
};

const amounts = object({ minAmount: number, maxAmount: number });
const measured = { eventName: text, measurementType: text, values: nullable(amounts) };
const measuredEvent = object(measured);
/** An event with its names at channels. */
export const namedEvent = object({ ...measured, partnerEventNames: mapOf(text) });
const meaning = object({
  conversionValue: { type: ["integer", "string"] },
  isOverlapped: nullable(boolean),
  events: listOf(measuredEvent),
});

export const conversionModel = {
  configType: oneOf("SKAN_3", "SKAN_4", "AAK_1"),
  postbacks: listOf(
    object({
      postbackSequenceIndex: integer,
      fine: nullable(
        object({
          schema: listOf(meaning),
          lockWindow: nullable(object({ type: text, value: { type: ["string", "integer", "number"] } })),
        }),
      ),
      coarse: nullable(object({ schema: listOf(meaning) })),
    }),
  ),
};

const signUp = { eventName: "app_sign_up", measurementType: "engagement" };

export const conversionModelRequest = {
  configType: "SKAN_4",
  postbacks: [{ postbackSequenceIndex: 0, fine: { schema: [{ conversionValue: 5, events: [signUp] }] } }],
};

export const conversionModelExample = {
  configType: "SKAN_4",
  postbacks: [
    {
      postbackSequenceIndex: 0,
      fine: {
        schema: [{ conversionValue: 5, isOverlapped: false, events: [{ ...signUp, values: null }] }],
        lockWindow: null,
      },
      coarse: null,
    },
  ],
};

const model = object({ file: text, sha256: text, input: text, output: text, cutPoints: {} });
export const bundle = object({
  bundleId: text,
  trainedAt: text,
  registeredAt: instant,
  features: listOf(oneOf(...featureNames)),
  models: object({ d3_purchase: model, d3_churn: model }),
  active: object({ default: boolean, apps: listOf(text) }),
  retired: boolean,
});

const modelExample = {
  file: "purchase.onnx",
  sha256: "ab".repeat(32),
  input: "features",
  output: "probability",
  cutPoints: [0.02, 0.04, 0.07, 0.11, 0.16, 0.23, 0.32, 0.45, 0.64],
};

export const bundleExample = {
  bundleId: "bundle-2026-01",
  trainedAt: "2026-01-01T00:00:00Z",
  registeredAt: "2026-01-02T00:00:00.000Z",
  features: ["click_count", "latency_s"],
  models: { d3_purchase: modelExample, d3_churn: { ...modelExample, file: "churn.onnx" } },
  active: { default: true, apps: [] },
  retired: false,
};

const localDateTime = { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$" } as const;
const uploadStatus = oneOf("uploaded", "validated", "ingested", "succeeded", "failed");

export const uploadMembers = {
  requestId: uuid,
  status: uploadStatus,
  prevStatus: nullable(uploadStatus),
  reason: nullableText,
  createdAt: localDateTime,
  updatedAt: localDateTime,
};
export const upload = object(uploadMembers);

export const uploadExample = {
  requestId: "3f0c4a54-8d0f-5a3e-9b1e-2f1f0a6f7c11",
  status: "uploaded",
  prevStatus: null,
  reason: null,
  createdAt: "2026-01-05T09:00:00",
  updatedAt: "2026-01-05T09:00:00",
};

export const linkAddresses = object({ click: text, impression: text, serverToServerClick: text });
const linkQuery = "tracking_template_id=6f1e2a57&routing_short_id=abc1234&campaign=january";
export const linkAddressesExample = {
  click: `https://links.example/@shop/newsletter?${linkQuery}&ad_type=click`,
  impression: `https://links.example/@shop/newsletter?${linkQuery}&ad_type=view`,
  serverToServerClick: `https://links.example/s2s/@shop/newsletter?${linkQuery}&ad_type=click`,
};

export const actor = object(
  { kind: text },
  { tokenId: text, role: nullableText, label: nullableText, name: text, tokenKind: text },
);

export const pagination = object({ hasNext: boolean, totalCount: integer });

/** The task of a report. */
export const reportTask = object({
  status: oneOf("PENDING", "RUNNING", "SUCCESS", "FAILURE", "CANCELED"),
  taskId: uuid,
  endedAt: nullable(instant),
  asOfPosition: position,
});

export const reportTaskExample = {
  status: "SUCCESS",
  taskId: "018f4f3a-6f2b-7c1d-8a52-0c9f5f2f9a10",
  endedAt: "2026-01-05T00:00:01.000Z",
  asOfPosition: "12345",
};

export const notifications = listOf(object({ code: text, type: text, message: text }));
