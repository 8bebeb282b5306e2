import { ingestResponses } from "../ingest/docs.ts";

export const sendTouchpointsDocs = {
  summary: "Back-fill touchpoints",
  description: "Accepts up to 500 clicks and impressions that were recorded elsewhere, and validates each on its own.",
  contract: "contract/ingest.md#touchpoints",
  request: {
    touchpoints: [
      {
        touchpointId: "7d1c3f52-1f2d-4b0a-8c59-0f6a2f1b9e01",
        kind: "click",
        timestamp: "2026-01-05T08:00:00Z",
        channel: "newsletter",
        campaignParams: { campaign: "january" },
        deviceId: "device-1",
      },
    ],
  },
  responses: ingestResponses,
};
