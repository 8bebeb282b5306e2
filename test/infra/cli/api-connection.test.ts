import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { required } from "../../../client/index.ts";
import { connectToApi, withApiErrors } from "../../../infra/cli/api-connection.ts";
import { certificateOf } from "../../../infra/embedded-event-store/certificate.ts";
import { temporaryDirectory } from "../../support/application-process.ts";

/** How a command reports that a call of an address has failed, which is retried if it is `reading`; empty: it has not. */
async function failureAt(url: string, client: "changing" | "reading"): Promise<string> {
  const connection = await connectToApi({ url, token: "tl_api_token" }, {});
  const read = async () => required(await connection[client].GET("/admin/v1/whoami"));
  return withApiErrors(connection, read).then(
    () => "",
    ({ message }: Error) => message,
  );
}

const reporting = suite("a command that cannot call the API");

reporting("names what keeps it from connecting", async () => {
  const server = createSocketServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise((resolve) => server.close(resolve));
  assert.is(await failureAt(url, "changing"), `Nothing responds at ${url} (ECONNREFUSED). Does it run there?`);
});

reporting("says at once how to trust the certificate of the server", async () => {
  const directory = await temporaryDirectory();
  const { key, certificate } = certificateOf(directory.path);
  const server = createServer({ key, cert: certificate }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  assert.is(
    await failureAt(url, "reading"),
    `The certificate of ${url} is refused (DEPTH_ZERO_SELF_SIGNED_CERT). Renew it, or call the host that it names; if your own authority signed it, set NODE_EXTRA_CA_CERTS to the authority's certificate file.`,
  );
  assert.is(connections, 1, "not retried");
  server.close();
  await directory.remove();
});

reporting("takes nothing of a server that is no Touchledger, whatever it responds with", async () => {
  const sent = { status: 200, headers: {} };
  let requests = 0;
  const server = createHttpServer((_request, response) => {
    requests += 1;
    response.writeHead(sent.status, { "Content-Type": "application/json", ...sent.headers }).end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stranger = `The server at ${url} is not a Touchledger. Check the address.`;
  for (const client of ["changing", "reading"] as const) assert.is(await failureAt(url, client), stranger);
  assert.is(requests, 2, "not retried");
  sent.headers = { "X-Request-Id": "given by a proxy" };
  assert.is(await failureAt(url, "reading"), "");
  // A proxy has responded.
  Object.assign(sent, { headers: {}, status: 502 });
  assert.is(await failureAt(url, "reading"), `${url} refused with 502.`);
  server.close();
});

reporting("names the address that a server redirects to", async () => {
  const server = createHttpServer((_request, response) => {
    response.writeHead(301, { Location: "https://touchledger.example/" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redirected = `${url} redirects to https://touchledger.example/. Give the address that it redirects to.`;
  for (const client of ["changing", "reading"] as const) assert.is(await failureAt(url, client), redirected);
  server.close();
});

reporting("refuses an address with more than a host and a path, and a name that no path can have", async () => {
  for (const url of [
    "http://:secret@127.0.0.1:1",
    "http://127.0.0.1:1/?a=1",
    "http://127.0.0.1:1/#a",
    "ftp://a.example",
  ]) {
    const refused = await connectToApi({ url, token: "tl_api_token" }, {}).then(() => "", String);
    assert.is(refused, `ApiCallFailed: --url must be an http or https address; it is "${url}".`);
  }
  const connection = await connectToApi({ url: "http://127.0.0.1:1", token: "tl_api_token" }, {});
  const params = { path: { bundle_id: "" } };
  const show = () => connection.reading.GET("/admin/v1/model-bundles/{bundle_id}", { params });
  assert.is(await withApiErrors(connection, show).then(() => "", String), 'ApiCallFailed: bundle_id cannot be "".');
});

reporting("says where an instance may serve a path that is not served here", async () => {
  const problem = { status: 404, code: "NOT_FOUND", detail: "There is no such resource." };
  const server = createHttpServer((_request, response) => {
    response.writeHead(404, { "Content-Type": "application/problem+json" }).end(JSON.stringify(problem));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  assert.is(
    await failureAt(url, "changing"),
    `${url} refused with 404: There is no such resource.
  An instance with an OPERATIONS_PORT serves /admin/v1 on that port alone, and the rest on PORT; one without the role api serves neither: check the address.`,
  );
  server.close();
});

reporting.run();
