import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readConfig } from "../../../infra/config/config.ts";
import { servedPaths } from "../../../infra/config/public-urls.ts";
import { root } from "../../support/paths.ts";
import { faultsOf } from "./configuration-faults.ts";

const addresses = suite("BASE_URL and LINK_BASE_URL");

/** Each row: the variable, its normal form. */
const valid: readonly (readonly [string, string])[] = [
  ["http://lnk.example", "http://lnk.example"],
  ["https://lnk.example/", "https://lnk.example"],
  ["https://lnk.example/l//", "https://lnk.example/l"],
  ["HTTPS://Lnk.Example", "https://lnk.example"],
  ["https://Lnk.Example/L", "https://lnk.example/L"],
  ["https://lnk.example:443/l", "https://lnk.example/l"],
  ["http://lnk.example:80", "http://lnk.example"],
  ["http://lnk.example:443", "http://lnk.example:443"],
  ["http://lnk.example:1", "http://lnk.example:1"],
  ["http://lnk.example:65535", "http://lnk.example:65535"],
  ["http://lnk.example:/l", "http://lnk.example/l"],
  ["http://lnk.example.:8080/l", "http://lnk.example:8080/l"],
  ["http://lnk.example/a/../l/.", "http://lnk.example/l"],
  ["http://lnk.example/@/l", "http://lnk.example/@/l"],
  ["http://lnk.example/링크", "http://lnk.example/%EB%A7%81%ED%81%AC"],
  ["http://링크.example", "http://xn--9y2bo82b.example"],
  ["http://[::1]:8080/l", "http://[::1]:8080/l"],
  ["http://127.0.0.1/l", "http://127.0.0.1/l"],
];
for (const [set, address] of valid) {
  addresses(`accept ${set}`, () => {
    const { baseUrl } = readConfig({ BASE_URL: set });
    const { linkBaseUrl } = readConfig({ BASE_URL: "https://api.example", LINK_BASE_URL: set });
    assert.equal([baseUrl, linkBaseUrl], [address, address]);
  });
}

const noPath = "must be scheme, host and path only: no user, query or fragment.";
const illegal = "must have no spaces, control characters or backslashes.";
const noScheme = "must be an address that starts with http:// or https://.";
const noHost = "must have a host, and no port but one from 1 to 65535, as https://links.example:8443/l has.";
const invalid: readonly (readonly [string, string])[] = [
  ["http://lnk.example#", noPath],
  ["http://lnk.example/l#a", noPath],
  ["http://lnk.example?", noPath],
  ["http://lnk.example/l?", noPath],
  ["http://lnk.example/l?a=1", noPath],
  ["http://user@localhost/l", noPath],
  ["http://user:password@localhost/l", noPath],
  ["http://:password@localhost/l", noPath],
  ["http://lnk.example/a b", illegal],
  ["http://lnk example/l", illegal],
  ["http://lnk.example/a\u00a0b", illegal],
  ["http://lnk.example/a\tb", illegal],
  ["http://lnk.ex\nample/l", illegal],
  ["http://lnk.example/a\u007fb", illegal],
  ["http://lnk.example\\l", illegal],
  ["http:\\\\lnk.example", illegal],
  ["lnk.example", noScheme],
  ["//lnk.example", noScheme],
  ["http:lnk.example", noScheme],
  ["http:/lnk.example", noScheme],
  ["ftp://lnk.example", noScheme],
  ["http://", noHost],
  ["http:///l", noHost],
  ["http:////l", noHost],
  ["http://:8080/l", noHost],
  ["http://./l", noHost],
  ["http://lnk..example", noHost],
  ["http://lnk.example..", noHost],
  ["http://lnk.example:0", noHost],
  ["http://lnk.example:65536", noHost],
  ["http://lnk.example:x", noHost],
];
for (const [set, fault] of invalid) {
  addresses(`reject ${JSON.stringify(set)}`, () => {
    for (const name of ["BASE_URL", "LINK_BASE_URL"]) {
      assert.equal(faultsOf({ [name]: set }), [`${name} ${fault}`]);
    }
  });
}

addresses.run();

const hiding = (path: string): readonly string[] => [
  `LINK_BASE_URL must have a path of its own, such as /l, or a host of its own: links at ${path} would hide the API.`,
];

const links = suite("the address of links");

const api = "https://api.example";
/** Each row: BASE_URL, LINK_BASE_URL, the path in the fault. */
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

links("is compared with the local address of the API when BASE_URL is not set", () => {
  assert.equal(faultsOf({ LINK_BASE_URL: "http://localhost:8080/" }), hiding("/"));
  assert.equal(faultsOf({ PORT: "9000", LINK_BASE_URL: "http://localhost:9000/v1" }), hiding("/v1"));
  assert.equal(faultsOf({ PORT: "9000", LINK_BASE_URL: "http://localhost:8080" }), []);
  assert.equal(faultsOf({ LINK_BASE_URL: "http://localhost:8080/l" }), []);
});

links("cannot hide the first segment of any route", async () => {
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
