import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { Agent, get, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { Response } from "express";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClientDisconnected, readBody } from "../../../../infra/http/request/read-body.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { type HttpServer, type ListenOptions, listen } from "../../../../infra/http/server/http-server.ts";
import { collectGarbage } from "../../../support/collect-garbage.ts";
import { clientOf } from "../../../support/raw-client.ts";

const largeBytes = 32 * 1024 * 1024;

/** A server with an endpoint that answers when it is let, and a promise of its being called. */
async function waitingServer(stalledMs?: number): Promise<{
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
  app.get("/large", (_request, response) => {
    response.end(Buffer.alloc(largeBytes));
    tellCalled();
  });
  app.get("/unfinished", (_request, response) => {
    response.write(Buffer.alloc(largeBytes));
    tellCalled();
  });
  app.post("/body", (request) => {
    tellCalled();
    readBody(request, { limit: 1_000, gzip: false }).catch(() => undefined);
  });
  const options: ListenOptions = { host: "127.0.0.1", port: 0, ...(stalledMs === undefined ? {} : { stalledMs }) };
  return { server: await listen(app, options), called, answer: letAnswer };
}

const connection = suite("a connection that is closed");

for (const [count, outcome] of [
  [99, 99],
  [100, 100],
  [101, "closed"],
] as const) {
  connection(
    `that has sent ${count} requests without a response is ${outcome === "closed" ? "" : "not "}closed`,
    async () => {
      const { server, called, answer } = await waitingServer();
      const socket = connect(server.port, "127.0.0.1").on("error", () => undefined);
      const received = text(socket).catch(() => "closed");
      const requests = Array.from({ length: count }, (_, index) =>
        index === count - 1 ? requestOf("/quick", "close") : requestOf("/slow"),
      );
      socket.write(requests.join(""));
      await (outcome === "closed" ? once(socket, "close") : called);
      answer();
      const answers = (await received).match(/HTTP\/1.1 200/g)?.length ?? "closed";
      assert.is(answers, outcome);
      await server.close(AbortSignal.abort());
    },
  );
}

connection("closes the responses that wait behind another one", async () => {
  const app = createHttpApp();
  const closed: string[] = [];
  const queued = new Promise<void>((resolve) => {
    app.get(["/first", "/second", "/third"], (request, response) => {
      response.once("close", () => closed.push(request.path));
      if (request.path === "/third") resolve();
    });
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const requests = ["/first", "/second", "/third"].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const socket = connect(server.port, "127.0.0.1", () => socket.write(requests.join("")));
  await queued;
  socket.destroy();
  while (closed.length < 3) await new Promise(setImmediate);
  assert.equal(closed.sort(), ["/first", "/second", "/third"]);
  await server.close(AbortSignal.abort());
});

connection("closes a response once that has waited behind another one and was sent", async () => {
  const app = createHttpApp();
  const responses: Response[] = [];
  const closed: string[] = [];
  const queued = new Promise<void>((resolve) => {
    app.get(["/first", "/second"], (request, response) => {
      response.on("close", () => closed.push(request.path));
      responses.push(response);
      if (request.path === "/second") resolve();
    });
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const requests = ["/first", "/second"].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const socket = connect(server.port, "127.0.0.1", () => socket.write(requests.join(""))).resume();
  await queued;
  const [first, second] = responses as [Response, Response];
  const sent = once(second, "close");
  first.end();
  second.end();
  await sent;
  const gone = once(second.req.socket, "close");
  socket.end();
  await gone;
  assert.equal(closed, ["/first", "/second"]);
  await server.close(AbortSignal.abort());
});

for (const [what, chunks] of [
  ["in one piece", ["body"]],
  ["in pieces", ["bo", "dy"]],
] as const) {
  connection(`does not keep a body that came ${what} until the next request`, async () => {
    const app = createHttpApp();
    const bodies: WeakRef<Buffer>[] = [];
    app.post("/body", async (request, response) => {
      const body = await readBody(request, { limit: 1_000, gzip: false });
      if (body.outcome === "read") bodies.push(new WeakRef(body.bytes));
      response.end("read");
    });
    const server = await listen(app, { host: "127.0.0.1", port: 0 });
    const socket = connect(server.port, "127.0.0.1");
    socket.write("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n");
    for (const chunk of chunks) {
      await new Promise(setImmediate);
      socket.write(chunk);
    }
    await once(socket, "data");
    await new Promise(setImmediate);
    collectGarbage();
    assert.is(bodies.length, 1);
    assert.is(bodies[0]?.deref(), undefined);
    assert.is(socket.readyState, "open");
    socket.destroy();
    await server.close(AbortSignal.abort());
  });
}

connection.run();

const closing = suite("closing the server");

closing("completes responses in progress, and accepts no connections meanwhile", async () => {
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

closing("tells a client that sends another request on its connection to open a new one for the next", async () => {
  const app = createHttpApp();
  const responses: Response[] = [];
  let tellCalled = (): void => {};
  const calls = async (count: number): Promise<void> => {
    while (responses.length < count) await new Promise<void>((resolve) => (tellCalled = resolve));
  };
  app.get("/", (_request, response) => {
    responses.push(response);
    tellCalled();
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const socket = connect(server.port, "127.0.0.1");
  const received = text(socket);
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await calls(1);
  const closed = server.close(AbortSignal.timeout(5_000));
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await calls(2);
  for (const response of responses) response.end("answered");
  assert.equal((await received).match(/^(Connection: .*|answered)/gm), [
    "Connection: keep-alive",
    "answered",
    "Connection: close",
    "answered",
  ]);
  await closed;
});

closing("does not wait for idle keep-alive connections", async () => {
  const { server } = await waitingServer(60_000);
  const agent = new Agent({ keepAlive: true });
  await new Promise<void>((resolve) => {
    get({ agent, port: server.port, host: "127.0.0.1", path: "/quick" }, (response) =>
      response.resume().on("end", resolve),
    );
  });
  await server.close(AbortSignal.timeout(60_000));
  agent.destroy();
});

closing("completes a response that a quicker one waits behind, however long it takes", async () => {
  const { server, called, answer } = await waitingServer(50);
  const stalled = await connectAndSend(server.port, "GET /quick");
  const socket = await connectAndSend(server.port, ["/slow", "/quick"].map((path) => requestOf(path)).join(""));
  await called;
  const received = text(socket);
  const closed = server.close(AbortSignal.timeout(8_000));
  await once(stalled.resume(), "close");
  answer();
  assert.equal((await received).match(/^(answered|quick)/gm), ["answered", "quick"]);
  await closed;
});

closing("closes the connections of unfinished responses after the time limit", async () => {
  const { server, called } = await waitingServer();
  const slow = clientOf(server.port)("GET", "/slow").catch((failure: Error & { code?: string }) => failure.code);
  await called;
  const over = new AbortController();
  const closed = server.close(over.signal);
  over.abort();
  await closed;
  assert.is(await slow, "ECONNRESET");
});

closing("closes all connections at once when the time is over already", async () => {
  const { server, called } = await waitingServer();
  const slow = clientOf(server.port)("GET", "/slow").catch((failure: Error & { code?: string }) => failure.code);
  await called;
  await server.close(AbortSignal.abort());
  assert.is(await slow, "ECONNRESET");
});

for (const [title, text, isCalled] of [
  ["nothing", "", false],
  ["half of the headers", "GET /quick HTTP/1.1\r\nHos", false],
  ["half of a body", "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf", true],
  ["a request whose response it does not read", "GET /large HTTP/1.1\r\nHost: a\r\n\r\n", true],
  ["a request whose streamed response it does not read", "GET /unfinished HTTP/1.1\r\nHost: a\r\n\r\n", true],
] as const) {
  closing(`does not wait for a client that has sent ${title}`, async () => {
    const { server, called } = await waitingServer(100);
    const socket = await connectAndSend(server.port, text);
    // The server accepts connections in order.
    await (isCalled ? called : clientOf(server.port)("GET", "/quick"));
    // Less than the usual time, so that the server is known to use its own.
    const over = AbortSignal.timeout(2_500);
    await server.close(over);
    assert.is(over.aborted, false);
    socket.destroy();
  });
}

closing("completes responses in progress after it has closed the connections of stalled clients", async () => {
  const { server, called, answer } = await waitingServer(100);
  const stalled = await connectAndSend(server.port, "GET /quick");
  const slow = clientOf(server.port)("GET", "/slow");
  await called;
  const closed = server.close(AbortSignal.timeout(8_000));
  await once(stalled.resume(), "close");
  answer();
  assert.is((await slow).text, "answered");
  await closed;
});

closing("completes a response that its client reads slowly", async () => {
  const { server, called } = await waitingServer();
  const socket = await connectAndSend(server.port, "GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  await called;
  const closed = server.close(AbortSignal.timeout(8_000));
  let bytes = 0;
  for await (const chunk of socket) {
    bytes += chunk.length;
    await new Promise(setImmediate);
  }
  assert.ok(bytes > largeBytes, `${bytes}`);
  await closed;
});

async function connectAndSend(port: number, text: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

function requestOf(path: string, connection = "keep-alive"): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\n\r\n`;
}

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

listening("keeps an idle connection for longer than load balancers do", async () => {
  const { server } = await waitingServer();
  const { headers } = await clientOf(server.port)("GET", "/quick");
  assert.is(headers["keep-alive"], "timeout=65");
  await server.close(AbortSignal.timeout(1_000));
});

listening("waits 10 s for the headers of a request, and 30 s for the whole", async () => {
  const { server } = await waitingServer();
  const limits: unknown[] = [];
  const note = (message: unknown): void => {
    const { headersTimeout, requestTimeout } = (message as { readonly server: Server }).server;
    limits.push({ headersTimeout, requestTimeout });
  };
  subscribe("http.server.request.start", note);
  await clientOf(server.port)("GET", "/quick");
  unsubscribe("http.server.request.start", note);
  assert.equal(limits, [{ headersTimeout: 10_000, requestTimeout: 30_000 }]);
  await server.close(AbortSignal.timeout(1_000));
});

listening.run();

/** What a server answers to text that no client library would send. */
function answerTo(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (bytes) => {
      answer += bytes.toString();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

const understanding = suite("requests that no client library sends");

understanding("get a response with a request id, whatever their fault, in English", async () => {
  const { server } = await waitingServer();
  const close = "Host: a\r\nConnection: close\r\n";
  const requests: readonly (readonly [string, number])[] = [
    ["GET /quick HTTP/1.1\r\n\r\n", 400],
    [`GET /quick HTTP/1.1\r\n${close}host: b\r\n\r\n`, 400],
    [`GET /quick HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n`, 400],
    [`GET http://[/quick HTTP/1.1\r\n${close}\r\n`, 400],
    [`GET quick HTTP/1.1\r\n${close}\r\n`, 400],
    [`GET a:quick HTTP/1.1\r\n${close}\r\n`, 400],
    [`GET http://other.example/quick?a=1 HTTP/1.1\r\n${close}\r\n`, 200],
    ["GET /quick HTTP/1.0\r\n\r\n", 200],
    [`GET /quick HTTP/1.1\r\n${close}Expect: something\r\n\r\n`, 200],
    ["nonsense\r\n\r\n", 400],
    [`GET /quick?${"x".repeat(60_000)} HTTP/1.1\r\n${close}\r\n`, 200],
    [`GET /quick HTTP/1.1\r\n${close}X-Long: ${"x".repeat(66_000)}\r\n\r\n`, 431],
    [`POST /quick HTTP/1.1\r\n${close}Content-Length: some\r\n\r\n`, 400],
  ];
  for (const [text, status] of requests) {
    const answer = await answerTo(server.port, text);
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), text.slice(0, 60));
    assert.match(answer, /\r\nX-Request-Id: [0-9a-f]{8}-[0-9a-f]{4}-7/i, text.slice(0, 60));
    if (status !== 200) assert.match(answer, /\r\nContent-Language: en\r\n/, text.slice(0, 60));
    if (status === 431) assert.match(answer, /have more than 65,536 bytes\. Send fewer or shorter ones\./);
  }
  await server.close(AbortSignal.timeout(1_000));
});

understanding("release their connection after the response, also when their clients never close it", async () => {
  let end: (outcome: unknown) => void = () => {};
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  const app = createHttpApp();
  app.post("/body", (request) => {
    readBody(request, { limit: 1_000, gzip: false }).then(end, end);
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  const answered = once(socket.resume(), "end");
  socket.write("POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n");
  await answered;
  assert.ok((await ended) instanceof ClientDisconnected);
  assert.is(socket.writable, true);
  socket.destroy();
  await server.close(AbortSignal.timeout(1_000));
});

understanding("get no second response when their body breaks after the response", async () => {
  const { server } = await waitingServer();
  const socket = connect(server.port, "127.0.0.1");
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes.toString();
  });
  socket.write("GET /quick HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  await once(socket, "data");
  socket.write("nonsense\r\n");
  await once(socket, "close");
  assert.equal(received.match(/HTTP\/1.1 \d+/g), ["HTTP/1.1 200"]);
  await server.close(AbortSignal.timeout(1_000));
});

understanding("get a response also after a request of their connection that was understood", async () => {
  const { server } = await waitingServer();
  const socket = connect(server.port, "127.0.0.1");
  const received = text(socket);
  const responded = once(socket, "readable");
  socket.write("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n");
  await responded;
  socket.write("nonsense\r\n\r\n");
  assert.equal((await received).match(/HTTP\/1.1 \d+/g), ["HTTP/1.1 200", "HTTP/1.1 400"]);
  await server.close(AbortSignal.timeout(1_000));
});

understanding.run();
