import { appEventCategories } from "../../domain/app-events/categories.ts";
import { ingestResponses } from "../ingest/docs.ts";

const request = (yesterday: string) => ({
  events: [
    {
      eventId: "0c5a7a86-5a5e-4c6f-9a43-5b9a1d3f7c01",
      eventTimestamp: `${yesterday}T09:00:00Z`,
      category: "app_install",
      device: { id: "device-1", os: "Android" },
      user: { partnerDeviceId: "device-1" },
    },
  ],
});

export const sendAppEventsDocs = {
  summary: "Send events of an app",
  description:
    "Accepts up to 500 events and validates each on its own: the response has the result of every event. An event " +
    "that is sent again with the same `eventId` is counted once. An event that is more than 31 days old is rejected, " +
    "unless an owner reports it.\n\n" +
    `The categories: ${Object.keys(appEventCategories).join(", ")} and custom:<name>.`,
  contract: "contract/ingest.md#app-events",
  request,
  responses: ingestResponses,
};

export const sendBeaconDocs = {
  summary: "Send events while a page unloads",
  description:
    "Works like sending events of an app, for `navigator.sendBeacon`: the body may have the content type " +
    "`text/plain`, and the `web` token may be passed in the query parameter `token`.",
  contract: "contract/ingest.md#beacons",
  request,
  responses: ingestResponses,
};
