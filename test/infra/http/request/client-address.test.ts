import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientAddress, networkOf } from "../../../../infra/http/request/client-address.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { listen } from "../../../../infra/http/server/http-server.ts";
import { clientOf } from "../../../support/raw-client.ts";

async function addressSeen(trustedProxies: readonly string[], forwardedFor: string): Promise<string> {
  const app = createHttpApp(trustedProxies);
  app.get("/", (request, response) => {
    response.end(clientAddress(request));
  });
  const server = await listen(app, { host: null, port: 0 });
  const { text } = await clientOf(server.port)("GET", "/", { headers: { "X-Forwarded-For": forwardedFor } });
  await server.close(AbortSignal.timeout(1_000));
  return text;
}

const address = suite("the client's address");

address("is the connection's, whatever the client forwards", async () => {
  assert.is(await addressSeen([], "203.0.113.9"), "127.0.0.1");
});

address("is what a trusted proxy forwards, in its normal form, IPv4 in its own notation", async () => {
  assert.is(await addressSeen(["127.0.0.0/8"], "198.51.100.1, 203.0.113.9"), "203.0.113.9");
  assert.is(await addressSeen(["127.0.0.0/8", "203.0.113.0/24"], "::ffff:198.51.100.1, 203.0.113.9"), "198.51.100.1");
  assert.is(await addressSeen(["127.0.0.0/8"], "::FFFF:c633:6401"), "198.51.100.1");
  assert.is(await addressSeen(["127.0.0.0/8"], "2001:DB8:0:0:0:0:0:1"), "2001:db8::1");
});

address("is the connection's when a proxy does not forward an address", async () => {
  for (const forwarded of ["unknown", "203.0.113.9:4711", "203.0.113", "_hidden", "x".repeat(5_000)]) {
    assert.is(await addressSeen(["127.0.0.0/8"], forwarded), "127.0.0.1", forwarded);
  }
});

address.run();

const network = suite("the network that an address limit counts");

for (const [of, expected] of [
  ["203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002:ffff::", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::6", "2001:db8:1:3::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["64:ff9b::203.0.113.9", "64:ff9b:0:0::/64"],
  ["1::2:3:4:5:203.0.113.9", "1:0:2:3::/64"],
  [null, "unknown"],
] as const) {
  network(`of ${of} is ${expected}`, () => {
    assert.is(networkOf(of), expected);
  });
}

network.run();
