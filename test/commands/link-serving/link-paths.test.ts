import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type LinkPath, readLinkPath } from "../../../commands/link-serving/link-paths.ts";
import { linkSuite } from "../../support/link-application.ts";
import { statusesOf } from "../../support/raw-client.ts";
import { create, open } from "../../support/visitor.ts";

const short = (shortId: string): LinkPath => ({ kind: "short", shortId });
const long = (channel: string): LinkPath => ({ kind: "long", serverToServer: false, appName: "shop", channel });
const server = (channel: string): LinkPath => ({ kind: "long", serverToServer: true, appName: "shop", channel });
const none: LinkPath = { kind: "none", serverToServer: false };
const noneOfServers: LinkPath = { kind: "none", serverToServer: true };

const reading = suite("a path below LINK_BASE_URL");

const paths: readonly (readonly [string, LinkPath])[] = [
  ["/abc", short("abc")],
  ["/abc/", short("abc")],
  ["/%61bc", short("abc")],
  ["/%61%62%63", short("abc")],
  ["/my%2Dlink%5f1", short("my-link_1")],
  ["/s2s", short("s2s")],
  ["/@shop/partner", long("partner")],
  ["/@shop/partner/", long("partner")],
  ["/%40shop/partner", long("partner")],
  ["/%40sh%6fp/partn%65r", long("partner")],
  ["/@shop/a%2Fb", long("a/b")],
  ["/@shop/50%25", long("50%")],
  ["/@shop/%EA%B4%91%EA%B3%A0", long("광고")],
  ["/@shop/%252E", long("%2E")],
  ["/s2s/@shop/partner", server("partner")],
  ["/s2s/%40shop/partner", server("partner")],
  ["/%732s/%40shop/a%2fb", server("a/b")],
  ["", none],
  ["/", none],
  ["/ab", none],
  ["/%61b", none],
  ["/%zz", none],
  ["/%ff", none],
  ["/%", none],
  ["/abc%", none],
  ["/%00", none],
  ["/abc%00", none],
  ["/%2561bc", none],
  ["/a%2Fb", none],
  ["/abc%2F", none],
  ["/abc%3Fad_type=view", none],
  ["/%2e%2e", none],
  ["/@shop%2Fpartner", none],
  ["/%2540shop/partner", none],
  ["/@shop/", none],
  ["/@shop/%ff", none],
  ["/%ff/partner", none],
  ["/shop/partner", none],
  ["/@shop/partner/more", none],
  ["//abc", none],
  ["/s2s/@shop/partner/", server("partner")],
  ["/s2s/@shop/partner//", noneOfServers],
  ["/s2s/@shop/partner/more", noneOfServers],
  ["/s2s/@shop/partner/more/", noneOfServers],
  ["/@shop/partner////more/", none],
  ["/s2s/@shop", noneOfServers],
  ["/s2s/shop/partner", noneOfServers],
  ["/s2s/%zz/partner", noneOfServers],
  ["/s2s/@shop/%ff", noneOfServers],
  ["/s2s/%ff", noneOfServers],
];

for (const [path, expected] of paths) {
  reading(`${path || "of nothing"} is ${Object.values(expected).join(" ")}`, () => {
    assert.equal(readLinkPath(path), expected);
  });
}

reading("is read whatever it is, and the same however it is encoded", () => {
  const anything = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("%", "/", "@", "2", "f", "s") }),
  );
  fc.assert(fc.property(anything, (text) => assert.ok(readLinkPath(`/${text}`).kind)));
  const encoded = (text: string) => text.replace(/[^/]/g, (it) => `%${it.charCodeAt(0).toString(16).padStart(2, "0")}`);
  const plain = fc.string({ unit: fc.constantFrom("/", "@", "a", "2", "s", "-", "_", ".") });
  fc.assert(fc.property(plain, (text) => assert.equal(readLinkPath(`/${encoded(text)}`), readLinkPath(`/${text}`))));
});

const serving = linkSuite("a link whose path is percent-encoded");

serving("is served", async ({ application }) => {
  const { link, shortUrl } = await create(application, { channel: "a/b", customShortId: "encoded-link" });
  const answers = [
    await open(application, shortUrl.replace("/encoded", "/%65ncoded")),
    await open(application, link.click.replace("/@", "/%40")),
    await open(application, link.impression.replace("/@", "/%40")),
    await open(application, link.serverToServerClick.replace("/@", "/%40")),
    await open(application, link.serverToServerClick.replace("/s2s/@", "/%732s/%40"), "", { method: "POST" }),
  ];
  assert.equal(statusesOf(answers), [302, 302, 200, 200, 200]);
  assert.equal(
    (await application.touchpoints()).map(({ data }) => [data.origin, data.source.channel]),
    ["redirect", "redirect", "view", "server_to_server", "server_to_server"].map((origin) => [origin, "a/b"]),
  );
});

reading.run();
serving.run();
