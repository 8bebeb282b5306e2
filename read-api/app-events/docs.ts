import { data, uuid } from "../../infra/http/openapi/route-docs.ts";

export const deviceDocs = {
  summary: "Get the user id of a device",
  description:
    "Returns the user id of a device. It is derived from the device id, so it is the same before and after the " +
    "first event of the device.",
  contract: "contract/ingest.md#devices",
  responses: {
    200: { schema: data({ userId: uuid }), example: { data: { userId: "6f1e2a57-6b0c-8e0f-8a3d-1d7b0a6e4c22" } } },
  },
};
