import type { JSONSchema } from "json-schema-to-ts";

interface PathParameter {
  readonly description: string;
  readonly schema: JSONSchema;
  readonly example: string | number;
}

const text = { type: "string" } as const;
const taskId = "018f4f3a-6f2b-7c1d-8a52-0c9f5f2f9a10";
const uploadId = "3f0c4a54-8d0f-5a3e-9b1e-2f1f0a6f7c11";

/** Description and schema of each path parameter of the API. */
export const pathParameters: { readonly [name: string]: PathParameter } = {
  app_name: { description: "The name of the app.", schema: text, example: "shop" },
  bundle_id: { description: "The id of the model bundle.", schema: text, example: "bundle-2026-01" },
  channel: { description: "The name of the channel.", schema: text, example: "partner" },
  delivery_id: {
    description: "The id of the delivery.",
    schema: text,
    example: "6f1e2a57-6b0c-8e0f-8a3d-1d7b0a6e4c22",
  },
  date: { description: "A date in UTC, `YYYY-MM-DD`.", schema: text, example: "2026-01-05" },
  deviceId: { description: "The device id that the app sends.", schema: text, example: "device-1" },
  event_category: {
    description: "The category of the uploaded metric.",
    schema: text,
    example: "app_install",
  },
  event_id: { description: "The id of the app event.", schema: text, example: "0c5a7a86-5a5e-4c6f-9a43-5b9a1d3f7c01" },
  id: {
    description: "The id, short id or template id of the tracking link; `idType` says which.",
    schema: text,
    example: "1234567890",
  },
  name: { description: "The name of the channel.", schema: text, example: "partner" },
  report_id: { description: "The `reportID` of the export.", schema: text, example: "1234567890" },
  requestId: { description: "The id of the upload.", schema: text, example: uploadId },
  request_id: { description: "The id of the upload, or of the recorded call.", schema: text, example: uploadId },
  task_id: { description: "The id of the report task.", schema: text, example: taskId },
  token_id: { description: "The id of the token.", schema: text, example: "0f".repeat(16) },
  webhook_id: { description: "The id of the webhook.", schema: text, example: uploadId },
  type: { description: "The kind of exported data: `app`, `web` or `tracking-link`.", schema: text, example: "app" },
};
