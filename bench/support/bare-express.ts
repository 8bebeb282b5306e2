import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";

/**
 * The limits of the HTTP benches, in a separate process: an Express route that only redirects, two that only parse the
 * request body, and one that serves stored bytes. Prints its port.
 */
const app = express();
app.get("/l/:shortId", (_request, response) => {
  response.redirect(302, "https://shop.example/welcome?tl_click_id=0");
});
app.post("/events", express.json({ limit: "5mb" }), (request, response) => {
  const { events } = request.body as { events: readonly unknown[] };
  response.status(202).json({ data: { accepted: events.length } });
});
/** As long as the response to a context call. */
const context = {
  requestId: "01a1fca3-2dff-7f56-892c-07db254c66c2",
  appId: 1,
  user: { id: "19adadf0-182c-828e-86b0-8a1ad79c5d86", type: "service_generated_uuid" },
  context: {
    lastTouchpoint: { channel: "newsletter", campaign: "campaign-7", adGroup: null, adCreative: null, term: null },
  },
  predictions: { d3_purchase: { probability: 0.124, tier: "low" }, d3_churn: { probability: 0.751, tier: "high" } },
};
app.post("/context", express.json({ limit: "16kb" }), (request, response) => {
  const { userId } = request.body as { userId: string };
  response.json({ ...context, user: { ...context.user, id: userId } });
});

let stored: Buffer = Buffer.alloc(0);
app.put("/stored", express.raw({ type: "*/*", limit: "5mb" }), (request, response) => {
  stored = request.body;
  response.sendStatus(204);
});
app.get("/stored", (_request, response) => {
  response.type("application/json").send(stored);
});

const server = createServer(app).listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.on("SIGTERM", () => process.exit(0));
