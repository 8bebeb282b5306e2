import { Registry } from "prom-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openHttp } from "../../../infra/composition/http.ts";
import { startingApp } from "../../../infra/composition/http-apps.ts";
import type { HttpParts } from "../../../infra/composition/http-routes.ts";
import { readConfig } from "../../../infra/config/config.ts";
import { listen } from "../../../infra/http/server/http-server.ts";
import { clientOf } from "../../support/raw-client.ts";

const stores = { EVENTSTORE_URL: "esdb://localhost:2113", DATABASE_URL: "postgres://localhost/touchledger" };
const limits = { RATE_LIMITS: "anonymous=3/h", TRUSTED_PROXIES: "127.0.0.1" };
const config = readConfig({ ...stores, ...limits, ROLES: "worker" });
const registry = new Registry();

const test = suite("readings of /metrics");

for (const [process, serve] of [
  ["that starts", () => {}],
  [
    "without the role api",
    (mainServer: HttpParts["mainServer"]) => {
      const readiness = () => ({ ready: true, checks: {} });
      openHttp(config, { mainServer, operationsServer: null, readiness, registry } as unknown as HttpParts);
    },
  ],
] as const) {
  test(`of a process ${process} are limited by the address of the client`, async () => {
    const server = await listen(startingApp(config, registry), { host: "127.0.0.1", port: 0 });
    serve(server);
    const statusesOf = async (client: string) => {
      const headers = { "X-Forwarded-For": client };
      const read = async () => (await clientOf(server.port)("GET", "/metrics", { headers })).status;
      return [await read(), await read(), await read(), await read()];
    };
    assert.equal(await statusesOf("192.0.2.1"), [200, 200, 200, 429]);
    assert.equal(await statusesOf("192.0.2.2"), [200, 200, 200, 429]);
    await server.close(AbortSignal.timeout(1_000));
  });
}

const urls = suite("commands beside a process without the role api");

urls("call the public address, as nothing else serves the API there", async () => {
  const baseUrl = "https://api.example";
  const server = await listen(startingApp(config, registry), { host: "127.0.0.1", port: 0 });
  const readiness = () => ({ ready: true, checks: {} });
  const parts = { mainServer: server, operationsServer: null, readiness, registry } as unknown as HttpParts;
  assert.equal(openHttp({ ...config, baseUrl }, parts).urls, {
    ...{ baseUrl, linkBaseUrl: `${baseUrl}/l` },
    ...{ apiUrl: baseUrl, operationsUrl: baseUrl },
  });
  await server.close(AbortSignal.timeout(1_000));
});

const ports = suite("the ports of a process");

ports("are closed together, before what their requests use", async () => {
  const closed: string[] = [];
  const serverOf = (name: string): HttpParts["mainServer"] => ({
    port: 0,
    serve: () => {},
    close: async () => void closed.push(name),
  });
  const servers = { mainServer: serverOf("main"), operationsServer: serverOf("operations") };
  const readiness = () => ({ ready: true, checks: {} });
  const http = openHttp(config, { ...servers, readiness, registry } as unknown as HttpParts);
  await http.close(AbortSignal.timeout(1_000));
  assert.equal(closed, ["main", "operations"]);
});

test.run();
urls.run();
ports.run();
