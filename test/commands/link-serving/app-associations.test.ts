import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appAssociations } from "../../../commands/link-serving/app-associations.ts";
import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import { createHttpApp } from "../../../infra/http/server/http-app.ts";
import { type HttpServer, listen } from "../../../infra/http/server/http-server.ts";
import { servedShop } from "../../support/application.ts";
import { type Call, clientOf } from "../../support/raw-client.ts";

const apple = "/.well-known/apple-app-site-association";
const android = "/.well-known/assetlinks.json";
const certificate = Array(32).fill("0F").join(":");
const shop = { ...servedShop, iosAppIds: ["ABCDE12345.example.shop", "ABCDE12345.example.shop.beta"] };
const cafe = { ...servedShop, name: "cafe", androidPackage: "example.cafe", androidCertificates: [certificate] };
const bare = { ...servedShop, name: "bare", androidPackage: null, androidCertificates: [certificate] };

let apps: readonly RegisteredApp[] = [];
let server: HttpServer;
const associations = suite("the associations of links with apps");
associations.before(async () => {
  const urls = { linkBaseUrl: "https://go.example/l" };
  const app = createHttpApp([], appAssociations({ allApps: async () => apps, ...urls }));
  app.use((_request, response) => void response.status(404).end());
  server = await listen(app, { host: "127.0.0.1", port: 0 });
});
associations.after(() => server.close(AbortSignal.timeout(1_000)));

const call = (method: string, path: string, more?: Call) => clientOf(server.port)(method, path, more);
const answered = async (path: string, served: readonly RegisteredApp[]) => {
  apps = served;
  return (await call("GET", path)).json;
};

associations("open the long links of an app on iOS, and short ones where no other app could be meant", async () => {
  assert.equal(await answered(apple, [shop, cafe]), {
    applinks: {
      details: [
        {
          appIDs: shop.iosAppIds,
          components: [
            { "/": "/l/@shop/*" },
            { "/": "/l/@*", exclude: true },
            { "/": "/l/s2s/*", exclude: true },
            { "/": "/l/*" },
          ],
        },
      ],
    },
  });
  const second = { ...cafe, iosAppIds: ["ABCDE12345.example.cafe"] };
  assert.equal(await answered(apple, [shop, second, bare]), {
    applinks: {
      details: [
        { appIDs: shop.iosAppIds, components: [{ "/": "/l/@shop/*" }] },
        { appIDs: second.iosAppIds, components: [{ "/": "/l/@cafe/*" }] },
      ],
    },
  });
  assert.equal(await answered(apple, [bare]), { applinks: { details: [] } });
});

associations("name the packages that have certificates, on Android", async () => {
  assert.equal(await answered(android, [shop, cafe, bare]), [
    {
      relation: ["delegate_permission/common.handle_all_urls"],
      target: { namespace: "android_app", package_name: "example.cafe", sha256_cert_fingerprints: [certificate] },
    },
  ]);
  assert.equal(await answered(android, []), []);
});

associations("are JSON at exactly these paths, for who reads, without a redirect, and may be cached", async () => {
  apps = [shop];
  for (const path of [apple, android]) {
    const { status, headers } = await call("GET", `${path}?app=1`);
    assert.equal(
      [status, headers["content-type"], headers["cache-control"], typeof headers["x-request-id"]],
      [200, "application/json; charset=utf-8", "public, max-age=300", "string"],
    );
    const known = { headers: { "If-None-Match": headers.etag ?? "" } };
    assert.is((await call("GET", path, known)).status, 304);
    assert.is((await call("HEAD", path)).status, 200);
    const written = await call("POST", path);
    assert.equal([written.status, written.headers.allow], [405, "GET, HEAD"]);
    assert.is((await call("GET", `${path}/x`)).status, 404);
  }
});

associations.run();
