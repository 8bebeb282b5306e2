import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Response } from "express";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fixedText } from "../../../../infra/http/response/fixed-text.ts";
import { cutStalledReader } from "../../../../infra/http/response/stalled-readers.ts";
import { streamReply } from "../../../../infra/http/response/stream-response.ts";
import { writeJson } from "../../../../infra/http/response/write-response.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { listen } from "../../../../infra/http/server/http-server.ts";
import { clientOf } from "../../../support/raw-client.ts";

/** More than the buffers of a connection hold. */
const large = "x".repeat(16 * 1024 * 1024);

/** What `respond` resolves to, for a client that sends a request and never reads. */
async function unread<Seen>(respond: (response: Response) => Promise<Seen>): Promise<Seen> {
  const app = createHttpApp();
  const responded = new Promise<Seen>((resolve, reject) => {
    app.get("/", (_request, response) => {
      respond(response).then(resolve, reject);
    });
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const socket = connect(server.port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  socket.pause();
  socket.on("error", () => {});
  try {
    return await responded;
  } finally {
    socket.destroy();
    await server.close(AbortSignal.abort());
  }
}

const timeoutOf = (response: Response): number => response.socket?.timeout ?? 0;

const stalled = suite("a response that its client does not read");

stalled("is given up after the time without progress", async () => {
  const isDestroyed = await unread(async (response) => {
    response.end(large);
    cutStalledReader(response, 100);
    await once(response, "close");
    return response.destroyed;
  });
  assert.is(isDestroyed, true);
});

stalled("is not given up while its client waits for the server", async () => {
  const app = createHttpApp();
  const pieces = async function* () {
    yield "begin, ";
    await pause(150);
    yield "end";
  };
  app.get("/", (request, response) =>
    streamReply(request, response, { kind: "streamed", mediaType: "text/csv", pieces: pieces() }, 50),
  );
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  assert.is((await clientOf(server.port)("GET", "/")).text, "begin, end");
  await server.close(AbortSignal.abort());
});

stalled("has 30 s when it is kept in memory", async () => {
  const kept = fixedText(() => large, "text/html");
  const timeout = await unread(async (response) => {
    await kept(response.req, response, () => undefined);
    return timeoutOf(response);
  });
  assert.is(timeout, 30_000);
});

stalled("has 30 s when it is one text", async () => {
  const timeout = await unread(async (response) => {
    writeJson(response, 200, large);
    return timeoutOf(response);
  });
  assert.is(timeout, 30_000);
});

stalled("has 30 s when it is streamed", async () => {
  const timeout = await unread(
    (response) =>
      new Promise<number>((resolve, reject) => {
        const pieces = async function* () {
          yield large;
          resolve(timeoutOf(response));
        };
        streamReply(response.req, response, { kind: "streamed", mediaType: "text/csv", pieces: pieces() }).catch(
          reject,
        );
      }),
  );
  assert.is(timeout, 30_000);
});

stalled("has no limit once all of it is sent", async () => {
  const timeout = await unread(async (response) => {
    writeJson(response, 200, "short");
    return timeoutOf(response);
  });
  assert.is(timeout, 0);
});

stalled.run();
