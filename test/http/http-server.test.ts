import { Agent, get } from "node:http";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createHttpApp } from "../../infra/http/http-app.ts";
import { type HttpServer, listen } from "../../infra/http/http-server.ts";
import { clientOf } from "./client.ts";

/** A server with an endpoint that answers when it is let, and a promise of its being called. */
async function waitingServer(): Promise<{
  readonly server: HttpServer;
  readonly called: Promise<void>;
  answer(): void;
}> {
  let letAnswer = (): void => {};
  let tellCalled = (): void => {};
  const mayAnswer = new Promise<void>((resolve) => {
    letAnswer = resolve;
  });
  const called = new Promise<void>((resolve) => {
    tellCalled = resolve;
  });
  const app = createHttpApp();
  app.get("/slow", async (_request, response) => {
    tellCalled();
    await mayAnswer;
    response.end("answered");
  });
  app.get("/quick", (_request, response) => {
    response.end("quick");
  });
  return { server: await listen(app, { host: "127.0.0.1", port: 0 }), called, answer: letAnswer };
}

const closing = suite("closing the server");

closing("lets answers under way be written, and takes no connections meanwhile", async () => {
  const { server, called, answer } = await waitingServer();
  const slow = clientOf(server.port)("GET", "/slow");
  await called;
  const closed = server.close(AbortSignal.timeout(5_000));
  const refused = await clientOf(server.port)("GET", "/quick").catch(
    (failure: Error & { code?: string }) => failure.code,
  );
  assert.is(refused, "ECONNREFUSED");
  answer();
  assert.is((await slow).text, "answered");
  await closed;
});

closing("does not wait for connections that are kept open for more", async () => {
  const { server } = await waitingServer();
  const agent = new Agent({ keepAlive: true });
  await new Promise<void>((resolve) => {
    get({ agent, port: server.port, host: "127.0.0.1", path: "/quick" }, (response) =>
      response.resume().on("end", resolve),
    );
  });
  await server.close(AbortSignal.timeout(60_000));
  agent.destroy();
});

closing("cuts off what is not done when the time is over", async () => {
  const { server, called } = await waitingServer();
  const slow = clientOf(server.port)("GET", "/slow").catch((failure: Error & { code?: string }) => failure.code);
  await called;
  const over = new AbortController();
  const closed = server.close(over.signal);
  over.abort();
  await closed;
  assert.is(await slow, "ECONNRESET");
});

closing.run();

const listening = suite("listening");

listening("fails on an address that is taken", async () => {
  const { server } = await waitingServer();
  const second = await listen(createHttpApp(), { host: "127.0.0.1", port: server.port }).catch(
    (failure) => failure.code,
  );
  assert.is(second, "EADDRINUSE");
  await server.close(AbortSignal.timeout(1_000));
});

listening.run();
