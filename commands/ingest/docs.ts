import { data, integer, listOf, mapOf, object, text, uuid } from "../../infra/http/openapi/route-docs.ts";

/** The response of bulk ingest: the outcome of each item (contract/ingest.md#app-events). */
export const ingestResponses = {
  202: {
    schema: data({
      accepted: integer,
      duplicates: integer,
      rejected: listOf(object({ index: integer, code: text, message: text })),
      devices: mapOf(uuid),
    }),
    example: {
      data: {
        accepted: 1,
        duplicates: 0,
        rejected: [],
        devices: { "device-1": "6f1e2a57-6b0c-8e0f-8a3d-1d7b0a6e4c22" },
      },
    },
  },
};
