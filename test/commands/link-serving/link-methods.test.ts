import * as assert from "uvu/assert";
import { linkSuite } from "../../support/link-application.ts";
import { create, open } from "../../support/visitor.ts";

const methods = linkSuite("the methods of a link's addresses");

const [page, problem] = ["text/html; charset=utf-8", "application/problem+json; charset=utf-8"];
const visitors = "GET, HEAD";
const servers = "GET, POST";
const addresses = {
  click: ({ link }) => link.click,
  short: ({ shortUrl }) => shortUrl,
  impression: ({ link }) => link.impression,
  server: ({ link }) => link.serverToServerClick,
  unknown: ({ shortUrl }) => `${shortUrl}-unknown`,
  unknownServer: ({ link }) => link.serverToServerClick.replace("/@shop", "/@other_shop"),
  open: ({ shortUrl }) => shortUrl.replace(/\/l\/.*/, "/open"),
} as const satisfies { readonly [name: string]: (links: Awaited<ReturnType<typeof create>>) => string };

/** Each row: method, address, and status, media type and `Allow` of the response. */
const answers = [
  ["HEAD", "short", 302, undefined, undefined],
  ["HEAD", "click", 302, undefined, undefined],
  ["HEAD", "impression", 200, "image/gif", undefined],
  ["HEAD", "unknown", 404, page, undefined],
  ["HEAD", "open", 200, page, undefined],
  ["HEAD", "server", 405, problem, servers],
  ["HEAD", "unknownServer", 405, problem, servers],
  ["OPTIONS", "short", 405, problem, visitors],
  ["OPTIONS", "click", 405, problem, visitors],
  ["OPTIONS", "impression", 405, problem, visitors],
  ["OPTIONS", "unknown", 405, problem, visitors],
  ["OPTIONS", "server", 405, problem, servers],
  ["PUT", "short", 405, problem, visitors],
  ["PUT", "click", 405, problem, visitors],
  ["PUT", "server", 405, problem, servers],
  ["DELETE", "unknown", 405, problem, visitors],
  ["POST", "click", 405, problem, visitors],
  ["POST", "impression", 405, problem, visitors],
  ["POST", "unknownServer", 404, problem, undefined],
] as const;

for (const [method, address, status, mediaType, allow] of answers) {
  methods(`${method} of ${address} is answered ${status} and not recorded`, async ({ application }) => {
    const url = addresses[address](await create(application, {}));
    const before = [(await application.touchpoints()).length, application.seen.unresolved];
    const answer = await open(application, url, undefined, { method });
    const { headers } = answer;
    assert.equal([answer.status, headers["content-type"], headers.allow], [status, mediaType, allow]);
    assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/);
    assert.equal([headers["cache-control"], headers["x-log-position"]], ["no-store", undefined]);
    if (method === "HEAD") assert.is(answer.text, "");
    // Only the POST of a server to an unknown link counts as an unresolved click.
    const unresolved = method === "POST" && status === 404 ? 1 : 0;
    const after = [(await application.touchpoints()).length, application.seen.unresolved - unresolved];
    assert.equal(after, before);
  });
}

methods("HEAD has the headers of GET", async ({ application }) => {
  const links = await create(application, {});
  for (const address of ["impression", "unknown", "open"] as const) {
    const [got, headed] = [
      await open(application, addresses[address](links)),
      await open(application, addresses[address](links), undefined, { method: "HEAD" }),
    ];
    const { date, "x-request-id": id, ...expected } = got.headers;
    const { date: headedDate, "x-request-id": headedId, ...headers } = headed.headers;
    assert.equal([headed.status, headers], [got.status, expected]);
  }
});

methods.run();
