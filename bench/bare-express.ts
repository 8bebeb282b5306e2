import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";

/**
 * The limits that the HTTP paths are measured beside, in a process of their own: an Express route that only redirects
 * and one that only parses the same body. Prints its port.
 */
const app = express();
app.get("/l/:shortId", (_request, response) => {
  response.redirect(302, "https://shop.example/welcome?tl_click_id=0");
});
app.post("/events", express.json({ limit: "5mb" }), (request, response) => {
  const { events } = request.body as { events: readonly unknown[] };
  response.status(202).json({ data: { accepted: events.length } });
});

const server = createServer(app).listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.on("SIGTERM", () => process.exit(0));
