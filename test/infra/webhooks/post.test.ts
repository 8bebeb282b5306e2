import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createPoster, type PosterOptions } from "../../../infra/webhooks/post.ts";
import { capturedTimeouts } from "../../support/captured-timeouts.ts";
import { startReceiver } from "../../support/webhook-receiver.ts";

const receiver = await startReceiver();
const headers = { "content-type": "application/json", "webhook-id": "one" };
const never = new AbortController().signal;

/** Sends one request with a poster of its own. */
async function post(url: string, options: Partial<PosterOptions> = {}, signal = never) {
  const poster = createPoster({ allowsPrivate: true, ...options });
  try {
    return await poster.post(url, headers, '{"type":"é"}', signal);
  } finally {
    poster.close();
  }
}

const posting = suite("sending to a webhook");
posting.before.each(() => {
  receiver.requests.length = 0;
  receiver.respond = () => ({ status: 200 });
});
posting.after(() => receiver.close());

posting("is a POST of the body, and succeeds with any 2xx", async () => {
  assert.equal(await post(receiver.url), { responseStatus: 200, failure: null });
  const [request] = receiver.requests;
  assert.equal([request?.path, request?.body, request?.headers["webhook-id"]], ["/hook", '{"type":"é"}', "one"]);
  for (const [status, failure] of [
    [204, null],
    [299, null],
    [300, "status"],
    [404, "status"],
    [500, "status"],
  ] as const) {
    receiver.respond = () => ({ status });
    assert.equal(await post(receiver.url), { responseStatus: status, failure });
  }
});

posting("does not follow redirects", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.respond = ({ path }) => (path === "/hook" ? { status, headers: { location: "/other" } } : { status: 200 });
    assert.equal(await post(receiver.url), { responseStatus: status, failure: "status" });
  }
  assert.equal(new Set(receiver.requests.map(({ path }) => path)), new Set(["/hook"]));
});

posting("ends at its deadline, without a response as in the middle of one", async () => {
  receiver.respond = () => null;
  assert.equal(await post(receiver.url, { deadlineMs: 60 }), { responseStatus: null, failure: "timeout" });
  assert.equal(await post("http://hooks.example/", { deadlineMs: 60, resolve: () => new Promise(() => {}) }), {
    ...{ responseStatus: null, failure: "timeout" },
  });
});

posting("has a deadline of 10 seconds", async () => {
  const [result, delays] = capturedTimeouts(() => post(receiver.url));
  assert.equal([await result, delays], [{ responseStatus: 200, failure: null }, [10_000]]);
});

posting("fails without a connection or an address", async () => {
  const { port } = receiver;
  await receiver.close();
  assert.equal(await post(`http://127.0.0.1:${port}/`), { responseStatus: null, failure: "connection" });
  assert.equal(await post("http://hooks.example/", { resolve: async () => [] }), {
    ...{ responseStatus: null, failure: "name_not_found" },
  });
});

/** What a receiver sends in place of a response, and the result. */
const strange: readonly (readonly [name: string, sent: string, result: object])[] = [
  [
    "switches protocols",
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
    { responseStatus: 101, failure: "status" },
  ],
  ["switches protocols without naming one", "HTTP/1.1 101 x\r\n\r\n", { responseStatus: 101, failure: "status" }],
  ["sends no final response", "HTTP/1.1 100 x\r\n\r\n".repeat(3), { responseStatus: null, failure: "timeout" }],
  ["sends no HTTP", "220 ready\r\n", { responseStatus: null, failure: "connection" }],
  [
    "sends less than it says",
    "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
    { responseStatus: null, failure: "timeout" },
  ],
  [
    "sends more than 64 KiB and no end",
    `HTTP/1.1 200 OK\r\n\r\n${"x".repeat(64 * 1024 + 1)}`,
    { responseStatus: 200, failure: null },
  ],
];
for (const [name, sent, result] of strange) {
  posting(`ends when a receiver ${name}`, async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined).on("data", () => socket.write(sent));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    try {
      assert.equal(await post(`http://127.0.0.1:${port}/`, { deadlineMs: 300 }), result);
    } finally {
      server.close();
    }
  });
}

posting("is not sent again when a kept connection breaks in the middle of its response", async () => {
  let requests = 0;
  let connection: Socket | undefined;
  const server = createServer((socket) => {
    connection = socket;
    socket
      .on("error", () => undefined)
      .on("data", () => {
        requests += 1;
        const rest = requests === 2 ? "Content-Length: 9\r\n\r\nthank" : "Content-Length: 0\r\n\r\n";
        socket.write(`HTTP/1.1 200 OK\r\n${rest}`);
      });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const poster = createPoster({ allowsPrivate: true });
  const send = () => poster.post(`http://127.0.0.1:${port}/`, headers, "{}", never);
  const breakSecond = (): void => void (requests === 2 && connection?.resetAndDestroy());
  subscribe("http.client.response.finish", breakSecond);
  const failures = [await send(), await send(), await send()].map(({ failure }) => failure);
  unsubscribe("http.client.response.finish", breakSecond);
  poster.close();
  server.close();
  assert.equal([failures, requests], [[null, "connection", null], 3]);
});

posting("is sent again when the receiver closes a kept connection as the request arrives", async () => {
  let [connections, requests] = [0, 0];
  const server = createServer((socket) => {
    connections += 1;
    socket
      .on("error", () => undefined)
      .on("data", () => {
        requests += 1;
        if (requests === 2) socket.resetAndDestroy();
        else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const poster = createPoster({ allowsPrivate: true });
  const send = () => poster.post(`http://127.0.0.1:${port}/`, headers, "{}", never);
  const failures = [await send(), await send()].map(({ failure }) => failure);
  poster.close();
  server.close();
  assert.equal([failures, connections, requests], [[null, null], 2, 3]);
});

posting("is given up with its signal", async () => {
  const failure = await post(
    "http://hooks.example/",
    { resolve: () => new Promise(() => {}) },
    AbortSignal.timeout(20),
  ).catch(({ name }: Error) => name);
  assert.is(failure, "TimeoutError");
});

/** Hosts, and what they resolve to. */
const blocked: readonly (readonly [url: string, addresses: readonly string[]])[] = [
  ["https://127.0.0.1/", []],
  ["https://2130706433/", []],
  ["https://[::1]/", []],
  ["https://[::ffff:10.0.0.1]/", []],
  ["https://169.254.169.254/latest/meta-data", []],
  ["https://rebound.example/", ["127.0.0.1"]],
  ["https://rebound.example/", ["::1", "10.1.2.3", "fe80::1"]],
  ["https://metadata.example/", ["169.254.169.254"]],
  ["https://mapped.example/", ["::ffff:7f00:1"]],
];

posting("never reaches an address that is not public, whatever names it", async () => {
  for (const [url, addresses] of blocked) {
    const result = await post(url, { allowsPrivate: false, resolve: async () => addresses });
    assert.equal(result, { responseStatus: null, failure: "blocked_address" }, url);
  }
});

posting(
  "calls public hosts over HTTPS only, though the webhook was made when private networks were allowed",
  async () => {
    const result = await post("http://hooks.example/", {
      allowsPrivate: false,
      resolve: async () => ["93.184.216.34"],
    });
    assert.equal(result, { responseStatus: null, failure: "blocked_address" });
  },
);

posting("does not resolve localhost to be called", async () => {
  const { failure } = await post("https://localhost/", { allowsPrivate: false });
  assert.ok(failure === "blocked_address" || failure === "name_not_found", String(failure));
});

const pinning = suite("the address that was checked");

pinning("is the one that is connected to, with the name as host", async () => {
  const other = await startReceiver();
  const resolved: string[] = [];
  const resolve = async (hostname: string) => {
    resolved.push(hostname);
    return ["127.0.0.1"];
  };
  const sent = await post(`http://hooks.example:${other.port}/a`, { resolve });
  assert.equal([sent.failure, resolved], [null, ["hooks.example"]]);
  assert.is(other.requests[0]?.headers.host, `hooks.example:${other.port}`);
  await other.close();
});

posting.run();
pinning.run();
