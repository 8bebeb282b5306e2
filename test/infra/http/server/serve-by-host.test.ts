import express from "express";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addErrorHandlers } from "../../../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { listen } from "../../../../infra/http/server/http-server.ts";
import { type PublicUrls, serveByHost } from "../../../../infra/http/server/serve-by-host.ts";
import { clientOf } from "../../../support/raw-client.ts";

const links = express.Router();
links.get("/", (request, response) => {
  response.end(`no link ${JSON.stringify(request.query)}`);
});
links.get("/failing", () => {
  throw new Error("no store");
});
links.get("/:short_id", (request, response) => {
  response.end(`link ${request.params.short_id}`);
});

/** What each path is answered with for each host. */
async function served(
  urls: PublicUrls,
  trustedProxies: readonly string[],
  requests: readonly Requested[],
): Promise<unknown> {
  const app = createHttpApp(
    trustedProxies,
    serveByHost(urls, links, ({ url }, response, next) => {
      if (url === "/.well-known/apps") response.end("apps");
      else if (url === "/.well-known/failing") next(new Error("no store"));
      else next();
    }),
  );
  app.get(["/api", "/admin/api"], (_request, response) => {
    response.end("api");
  });
  addErrorHandlers(app, { failed: () => {} });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const client = clientOf(server.port);
  const answers = [];
  for (const { path, ...headers } of requests) {
    const { status, text } = await client("GET", path, { headers });
    answers.push(status === 200 ? text : status);
  }
  await server.close(AbortSignal.timeout(1_000));
  return answers;
}

interface Requested {
  readonly path: string;
  readonly host?: string;
  readonly "X-Forwarded-Host"?: string;
}

const host = suite("links and the API by host");

host("share one: paths below LINK_BASE_URL go to the link handler, others to the API", async () => {
  const urls = { baseUrl: "http://localhost:8080", linkBaseUrl: "http://localhost:8080/l" };
  const paths = ["/l/k3f9", "/api", "/l/a/b", "/l/admin/api", "/k3f9", "/L/k3f9", "/links"];
  const requests = paths.map((path) => ({ path }));
  assert.equal(await served(urls, [], requests), ["link k3f9", "api", 404, 404, 404, 404, 404]);
});

host("pass the path below LINK_BASE_URL and the query to the link handler", async () => {
  const urls = { baseUrl: "http://localhost:8080", linkBaseUrl: "http://localhost:8080/l/" };
  const requests = ["/l", "/l/", "/l?a=1", "/l/?a=1", "/l/k3f9?a=/l"].map((path) => ({ path }));
  assert.equal(await served(urls, [], requests), [
    "no link {}",
    "no link {}",
    'no link {"a":"1"}',
    'no link {"a":"1"}',
    "link k3f9",
  ]);
});

host("share one with a path, which a proxy removes", async () => {
  const [baseUrl, paths] = ["https://shop.example/touch", ["/l/k3f9", "/touch/l/k3f9", "/touches/k3f9", "/api"]];
  const requests = paths.map((path) => ({ path }));
  const answersWith = (linkBaseUrl: string) => served({ baseUrl, linkBaseUrl }, [], requests);
  assert.equal(await answersWith("https://shop.example/touch/l"), ["link k3f9", 404, 404, "api"]);
  assert.equal(await answersWith("https://shop.example/touches"), [404, 404, "link k3f9", "api"]);
});

host("that are apart: the link handler gets everything for the links' host, and nothing else", async () => {
  const urls = { baseUrl: "https://api.example", linkBaseUrl: "https://go.example" };
  const requests = [
    { path: "/k3f9", host: "go.example" },
    { path: "/api", host: "GO.example" },
    { path: "/api", host: "api.example" },
    { path: "/k3f9", host: "api.example" },
    { path: "/a/b", host: "go.example" },
  ];
  assert.equal(await served(urls, [], requests), ["link k3f9", "link api", "api", 404, 404]);
});

host("serve the associations of apps only at the host of links, at its root", async () => {
  const paths = ["/.well-known/apps", "/x/.well-known/apps"];
  const shared = { baseUrl: "http://localhost:8080", linkBaseUrl: "http://localhost:8080/x" };
  assert.equal(
    await served(
      shared,
      [],
      paths.map((path) => ({ path })),
    ),
    ["apps", 404],
  );
  const apart = { baseUrl: "https://api.example", linkBaseUrl: "https://go.example/x" };
  const requests = ["go.example", "api.example"].flatMap((name) => paths.map((path) => ({ path, host: name })));
  assert.equal(await served(apart, [], requests), ["apps", 404, 404, 404]);
  const atRoot = { baseUrl: "https://api.example", linkBaseUrl: "https://go.example" };
  assert.equal(await served(atRoot, [], [{ path: "/.well-known/apps", host: "go.example" }]), ["apps"]);
});

host("have a response also when links or the associations of apps fail", async () => {
  const linkBaseUrl = "https://go.example";
  const requests = ["/failing", "/.well-known/failing"].map((path) => ({ path, host: "go.example" }));
  for (const baseUrl of ["https://go.example", "https://api.example"])
    assert.equal(await served({ baseUrl, linkBaseUrl }, [], requests), [500, 500]);
});

host("that are apart, links below a path", async () => {
  const urls = { baseUrl: "https://api.example", linkBaseUrl: "https://go.example:8443/x" };
  const requests = [
    { path: "/x/k3f9", host: "go.example:8443" },
    { path: "/k3f9", host: "go.example:8443" },
    { path: "/api", host: "go.example" },
  ];
  assert.equal(await served(urls, [], requests), ["link k3f9", 404, "api"]);
});

/** Each row: the links' address, hosts that mean it, hosts that do not. */
const spellings: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    "http://go.example",
    ["go.example", "go.example:80", "go.example:", "go.example.", "go.example.:80", "Go.Example.:80"],
    ["go.example:443", "go.example:8", "go.example:800", "go.example..", "o.example", "go.example:80:80", "80", "x:80"],
  ],
  [
    "https://go.example",
    ["go.example", "go.example:443", "go.example.", "GO.example.:443"],
    ["go.example:80", "go.example:4430"],
  ],
  [
    "http://go.example:8080",
    ["go.example:8080", "go.example.:8080"],
    ["go.example", "go.example.", "go.example:80", "go.example:"],
  ],
  ["http://[::1]", ["[::1]", "[::1]:80"], ["[::1]:8080", "::1", "[::]"]],
];
for (const [linkBaseUrl, links, others] of spellings) {
  host(`is the one of ${linkBaseUrl} however it is spelled`, async () => {
    const urls = { baseUrl: "https://api.example", linkBaseUrl };
    const ask = (hosts: readonly string[]) => hosts.map((host) => ({ path: "/api", host }));
    assert.equal(
      await served(urls, [], ask(links)),
      links.map(() => "link api"),
    );
    assert.equal(
      await served(urls, [], ask(others)),
      others.map(() => "api"),
    );
    const forwarded = links.map((name) => ({ path: "/api", host: "inner", "X-Forwarded-Host": name }));
    assert.equal(
      await served(urls, ["127.0.0.1"], forwarded),
      links.map(() => "link api"),
    );
  });
}

host("is taken from X-Forwarded-Host of trusted proxies only", async () => {
  const urls = { baseUrl: "https://api.example", linkBaseUrl: "https://go.example" };
  const requests = [{ path: "/api", host: "inner", "X-Forwarded-Host": "go.example" }];
  assert.equal(await served(urls, ["127.0.0.1"], requests), ["link api"]);
  assert.equal(await served(urls, [], requests), ["api"]);
});

host.run();
