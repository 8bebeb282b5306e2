import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { servedPaths } from "../../../infra/config/link-address.ts";
import { root } from "../../support/paths.ts";
import { faultsOf } from "./configuration-faults.ts";

const hiding = (path: string): readonly string[] => [
  `LINK_BASE_URL must have a path of its own, such as /l, or a host of its own: links at ${path} would hide the API.`,
];

const links = suite("the address of links");

const api = "https://api.example";
/** Each row: BASE_URL, LINK_BASE_URL, the path that it is refused with. */
const refused: readonly (readonly [string, string, string])[] = [
  [api, api, "/"],
  [api, `${api}/`, "/"],
  [api, `${api}///`, "/"],
  [api, `${api}:443/`, "/"],
  [api, "https://API.example/", "/"],
  [api, "http://api.example/", "/"],
  [api, `${api}/l/..`, "/"],
  [api, `${api}/./v1`, "/v1"],
  ...servedPaths.map((name) => [api, `${api}/${name}`, `/${name}`] as const),
  ...servedPaths.map((name) => [api, `${api}/${name}/`, `/${name}`] as const),
  [api, `${api}/v1/tracking-links`, "/v1/tracking-links"],
  [api, `${api}/v1/l`, "/v1/l"],
  [`${api}/touch`, `${api}/touch`, "/touch"],
  [`${api}/touch`, `${api}/touch/v1`, "/touch/v1"],
  [`${api}/touch`, `${api}/v1`, "/v1"],
  [`${api}/touch`, api, "/"],
  [`${api}/a/b`, `${api}/a`, "/a"],
  ["http://localhost:9000", "http://localhost:9000/metrics", "/metrics"],
];
for (const [baseUrl, linkBaseUrl, path] of refused) {
  links(`${linkBaseUrl} would hide the API at ${baseUrl}`, () => {
    assert.equal(faultsOf({ BASE_URL: baseUrl, LINK_BASE_URL: linkBaseUrl }), hiding(path));
  });
}

const accepted: readonly (readonly [string, string])[] = [
  [api, `${api}/l`],
  [api, `${api}/l/`],
  [api, `${api}/l/v1`],
  [api, `${api}/v`],
  [api, `${api}/v12`],
  [api, `${api}/V1`],
  [api, `${api}/openings`],
  [api, `${api}/@`],
  [`${api}/touch`, `${api}/touch/l`],
  [`${api}/touch`, `${api}/l`],
  [`${api}/touch`, `${api}/touches`],
  [api, "https://go.example"],
  [api, "https://go.example/v1"],
  [api, "https://go.example/livez"],
  [api, `${api}:8443`],
  [api, `${api}:8443/admin`],
  ["http://localhost:9000", "http://localhost:9001"],
];
for (const [baseUrl, linkBaseUrl] of accepted) {
  links(`${linkBaseUrl} hides nothing of the API at ${baseUrl}`, () => {
    assert.equal(faultsOf({ BASE_URL: baseUrl, LINK_BASE_URL: linkBaseUrl }), []);
  });
}

links("is held against the local address of the API when BASE_URL is not set", () => {
  assert.equal(faultsOf({ LINK_BASE_URL: "http://localhost:8080/" }), hiding("/"));
  assert.equal(faultsOf({ PORT: "9000", LINK_BASE_URL: "http://localhost:9000/v1" }), hiding("/v1"));
  assert.equal(faultsOf({ PORT: "9000", LINK_BASE_URL: "http://localhost:8080" }), []);
  assert.equal(faultsOf({ LINK_BASE_URL: "http://localhost:8080/l" }), []);
});

links("leaves alone whatever a route's path begins with", async () => {
  const served = new Set<string>();
  for (const layer of ["commands", "read-api", "infra"]) {
    for (const name of await readdir(join(root, layer), { recursive: true })) {
      if (!name.endsWith(".ts")) continue;
      const text = await readFile(join(root, layer, name), "utf8");
      for (const [, first = ""] of text.matchAll(/(?:path: |app\.\w+\()"\/([^/"]+)/g)) served.add(first);
    }
  }
  assert.ok(served.has("v1") && served.has("livez") && served.has("open"));
  assert.equal(
    [...served].filter((first) => !servedPaths.some((name) => name === first)),
    [],
  );
});

links.run();
