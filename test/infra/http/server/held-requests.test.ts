import { get, type RequestListener } from "node:http";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createHeldRequests, type HoldLimits } from "../../../../infra/http/server/held-requests.ts";
import { listen } from "../../../../infra/http/server/http-server.ts";
import { clientOf } from "../../../support/raw-client.ts";

const test = suite("requests held during a start");
const responding =
  (text: string): RequestListener =>
  (_request, response) =>
    response.end(text);

/** A server that holds requests, and how to wait until it has received or lost so many. */
async function holdingServer(limits: HoldLimits) {
  const held = createHeldRequests(responding("starting"), limits);
  const happened = { received: 0, closed: 0 };
  let tell = (): void => {};
  const count = (what: keyof typeof happened): void => {
    happened[what] += 1;
    tell();
  };
  const hold: RequestListener = (request, response) => {
    held.hold(request, response);
    response.once("close", () => count("closed"));
    count("received");
  };
  const server = await listen(hold, { host: "127.0.0.1", port: 0 });
  const client = clientOf(server.port, false);
  return {
    held,
    port: server.port,
    textOf: async (path: string) => (await client("GET", path)).text,
    until: (what: keyof typeof happened, times: number) =>
      new Promise<void>((resolve) => {
        tell = () => {
          if (happened[what] >= times) resolve();
        };
        tell();
      }),
    close: () => server.close(AbortSignal.timeout(1_000)),
  };
}

test("are as many as the limit allows; one more is refused at once", async () => {
  const { held, textOf, until, close } = await holdingServer({ requests: 2, waitMs: 60_000 });
  const first = textOf("/1");
  await until("received", 1);
  const second = textOf("/2");
  await until("received", 2);
  assert.is(await textOf("/3"), "starting");
  held.passTo(responding("served"));
  assert.equal(await Promise.all([first, second, textOf("/4")]), ["served", "served", "served"]);
  await close();
});

test("are refused after the time that they may wait", async () => {
  const { textOf, close } = await holdingServer({ requests: 1, waitMs: 1 });
  assert.equal([await textOf("/1"), await textOf("/2")], ["starting", "starting"]);
  await close();
});

test("are answered by the app alone, however long its response takes", async () => {
  const held = createHeldRequests(responding("starting"), { requests: 1, waitMs: 1 });
  const app: RequestListener = (_request, response) => {
    // After the request would have waited for too long.
    setTimeout(() => response.end("served"), 2);
  };
  const firstApp: RequestListener = (request, response) => {
    held.hold(request, response);
    held.passTo(app);
  };
  const server = await listen(firstApp, { host: "127.0.0.1", port: 0 });
  assert.is((await clientOf(server.port, false)("GET", "/1")).text, "served");
  await server.close(AbortSignal.timeout(1_000));
});

test("leave their place to others when their client gives up", async () => {
  const { held, port, textOf, until, close } = await holdingServer({ requests: 1, waitMs: 60_000 });
  const given = get({ host: "127.0.0.1", port, path: "/1" }).on("error", () => undefined);
  await until("received", 1);
  given.destroy();
  await until("closed", 1);
  const next = textOf("/2");
  await until("received", 2);
  held.passTo(responding("served"));
  assert.is(await next, "served");
  await close();
});

test.run();
