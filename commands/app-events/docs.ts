import { ingestAnswers } from "../ingest/docs.ts";

const request = {
  events: [
    {
      eventId: "0c5a7a86-5a5e-4c6f-9a43-5b9a1d3f7c01",
      eventTimestamp: "2026-01-05T09:00:00Z",
      category: "app_install",
      device: { id: "device-1", os: "Android" },
    },
  ],
};

export const sendAppEventsDocs = {
  summary: "Send events of an app",
  description:
    "Up to 500 events, each validated by itself: the answer says what became of each. Sending an event again with the " +
    "same `eventId` counts it once.",
  contract: "contract/ingest.md#app-events",
  request,
  answers: ingestAnswers,
};

export const sendBeaconDocs = {
  summary: "Send events of a page that is being left",
  description:
    "The same as sending events of an app, for `navigator.sendBeacon`: the body may have the type `text/plain`, and the " +
    "`web` token may be the query parameter `token`.",
  contract: "contract/ingest.md#beacons",
  request,
  answers: ingestAnswers,
};
