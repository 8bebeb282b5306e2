import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type DestinationFault,
  maxDestinationLength,
  readDestination,
  readWebAddress,
} from "../../../domain/tracking-links/destination.ts";
import { ownerOf } from "../../../domain/tracking-links/destination-owner.ts";

const accepted = suite("destinations that links may have");

const goodOnes: readonly (readonly [string, string])[] = [
  ["https://shop.example/sale?a=1#top", "https://shop.example"],
  ["http://shop.example:8080", "http://shop.example:8080"],
  ["HTTPS://Shop.Example/", "https://shop.example"],
  ["https://shop.example/상품?q=신발", "https://shop.example"],
  ["https://상점.example/", "https://xn--hg4bs7k.example"],
  ["https://münchen.example/", "https://xn--mnchen-3ya.example"],
  ["https://việtnam.example/", "https://xn--vitnam-jk8b.example"],
  ["https://東京ラボ.example/", "https://xn--zdkza598rx5v.example"],
  ["https://магазин.example/", "https://xn--80aairftm.example"],
  ["https://рор.рф/", "https://xn--n1adb.xn--p1ai"],
  ["shop://sale/spring", "shop:"],
  ["Shop://Sale", "shop:"],
  ["com.example.shop:/sale", "com.example.shop:"],
  ["msshop://sale", "msshop:"],
  ["market://details?id=example.shop", "market://details?id=example.shop"],
  ["market://details?hl=ko&id=example.shop", "market://details?id=example.shop"],
  ["market://search?q=shop", "market://search?q=shop"],
  ["https://play.google.com/store/apps/details?hl=ko&id=a.b#x", "https://play.google.com/store/apps/details?id=a.b"],
  ["https://play.google.com/store/apps/details?id=a.b&id=c", "https://play.google.com/store/apps/details?id=a.b&id=c"],
  ["https://play.google.com/store/apps/dev?id=a.b", "https://play.google.com/store/apps/dev?id=a.b"],
  ["https://apps.apple.com/kr/app/shop/id42?mt=8", "https://apps.apple.com/app/id42"],
  ["https://itunes.apple.com/app/id42", "https://itunes.apple.com/app/id42"],
  ["itms-apps://apps.apple.com/us/app/id42", "itms-apps://apps.apple.com/app/id42"],
  ["https://apps.apple.com/us/developer/shop/id42", "https://apps.apple.com/us/developer/shop/id42"],
  ["mailto:owner@shop.example", "mailto:"],
];
for (const [text, owner] of goodOnes) {
  accepted(text, () => {
    const read = readDestination(text);
    assert.type(read, "object");
    assert.is(typeof read === "object" ? ownerOf(read) : read, owner);
  });
}

const refused = suite("destinations that no link may have");

const hostileOnes: readonly (readonly [string, DestinationFault])[] = [
  ["", "not_absolute"],
  ["/sale", "not_absolute"],
  ["shop.example/sale", "not_absolute"],
  ["//evil.example", "not_absolute"],
  ["/\\evil.example", "forbidden_character"],
  ["///evil.example", "not_absolute"],
  ["\\\\evil.example", "forbidden_character"],
  ["https:\\\\evil.example", "forbidden_character"],
  ["https://shop.example\\@evil.example", "forbidden_character"],
  ["https:/evil.example", "not_absolute"],
  ["https:evil.example", "not_absolute"],
  ["https://", "not_absolute"],
  ["https:///evil.example", "not_absolute"],
  ["https://?evil", "not_absolute"],
  ["https://[::1", "not_absolute"],
  ["https://shop.example:99999/", "not_absolute"],
  ["https://shop.example@evil.example/", "names_a_user"],
  ["https://user:secret@shop.example/", "names_a_user"],
  ["https://@shop.example/", "names_a_user"],
  ["shop://user@evil.example", "names_a_user"],
  ["https://shop.example/\r\nSet-Cookie: a=b", "forbidden_character"],
  ["https://shop.example/\tsale", "forbidden_character"],
  ["https://shop.example/\u0000", "forbidden_character"],
  ["https://shop.example/\u0085sale", "forbidden_character"],
  ["https://shop.example/\u2028sale", "forbidden_character"],
  ["https://shop.example/\ud800", "forbidden_character"],
  ['https://shop.example/"><script>', "forbidden_character"],
  [" https://shop.example/", "forbidden_character"],
  ["https://shop.example/ ", "forbidden_character"],
  ["java\nscript:alert(1)", "forbidden_character"],
  ["javascript:alert(1)", "scheme_refused"],
  ["JaVaScRiPt:alert(1)", "scheme_refused"],
  ["javascript://shop.example/%0aalert(1)", "scheme_refused"],
  ["data:text/html,hello", "scheme_refused"],
  ["vbscript:msgbox", "scheme_refused"],
  ["file:///etc/passwd", "scheme_refused"],
  ["filesystem:https://shop.example/", "scheme_refused"],
  ["blob:https://shop.example/1", "scheme_refused"],
  ["about:blank", "scheme_refused"],
  ["view-source:https://shop.example/", "scheme_refused"],
  ["content://media", "scheme_refused"],
  ["intent://sale#Intent;scheme=shop;end", "scheme_refused"],
  ["ws://shop.example/", "scheme_refused"],
  ["wss://shop.example/", "scheme_refused"],
  ["ftp://shop.example/", "scheme_refused"],
  ["https://аррӏе.com/", "look_alike_host"],
  ["https://xn--80ak6aa92e.com/", "look_alike_host"],
  ["https://pаypal.com/", "look_alike_host"],
  ["https://login.googlе.com/", "look_alike_host"],
  ["https://ɢoogle.com/", "look_alike_host"],
  ["https://νονο.com/", "look_alike_host"],
  ["https://shop.comノevil.example/", "look_alike_host"],
  ["https://gοοgle.example/", "look_alike_host"],
  ...[
    "itms-services://?action=download-manifest&url=https://evil.example/app.plist",
    "search-ms:query=invoice",
    "ms-settings:privacy",
    "ms-msdt:/id",
    "MS-Word:ofe|u|https://evil.example/a.docx",
    "tel:+15550100",
    "sms:+15550100",
    "facetime-audio:+15550100",
    "feed:https://evil.example/",
    "shell:startup",
    "app-prefs:root=General",
    "x-apple.systempreferences:com.apple.preference",
    "chrome://settings",
    "smb://evil.example/share",
    "ssh://evil.example",
  ].map((text) => [text, "scheme_refused"] as const),
  ["c:/windows", "not_absolute"],
  ["1shop://sale", "not_absolute"],
  [`${"s".repeat(32)}://sale`, "not_absolute"],
  [`https://shop.example/${"a".repeat(maxDestinationLength)}`, "too_long"],
];
for (const [text, fault] of hostileOnes) {
  refused(JSON.stringify(text).slice(0, 60), () => {
    assert.is(readDestination(text), fault);
  });
}

refused("a fallback or image in an app", () => {
  assert.is(readWebAddress("shop://sale"), "not_a_web_address");
  assert.is(readWebAddress("javascript:alert(1)"), "scheme_refused");
});

const sent = suite("what is sent of a destination");

sent("is ASCII without anything that ends a header or an attribute", () => {
  fc.assert(
    fc.property(fc.constantFrom("https://shop.example/", "shop://"), fc.string({ unit: "binary" }), (start, rest) => {
      const read = readDestination(start + rest);
      if (typeof read === "string") return;
      assert.match(read.kind === "web" ? read.url.href : read.uri, /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d-\x7e]+$/);
    }),
    { numRuns: 1_000 },
  );
});

accepted.run();
refused.run();
sent.run();
