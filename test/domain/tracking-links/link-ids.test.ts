import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  drawShortId,
  hasIdentifier,
  isShortId,
  linkIdOf,
  linkIds,
  resolveLinkId,
} from "../../../domain/tracking-links/link-ids.ts";
import { sha256 } from "../../examples/tracking-links.ts";

const ids = suite("ids of a link");

ids("are the first 53 bits of the short id's SHA-256, and those with 18 more digits", () => {
  // printf spring-sale | sha256sum
  const digest = Buffer.from(sha256("spring-sale")).toString("hex");
  const first53 = BigInt(`0x${digest}`) >> (256n - 53n);
  const { linkId, templateId } = linkIds(sha256("spring-sale"));
  assert.is(BigInt(linkId), first53);
  assert.is(templateId, first53.toString(16).padStart(14, "0") + digest.slice(14, 32));
});

ids("are never 0", () => {
  const { linkId, templateId } = linkIds(new Uint8Array(32));
  assert.is(linkId, 1);
  assert.is(linkIdOf(templateId), 1);
});

ids("are found in any template id", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (digest) => {
      const { linkId, templateId } = linkIds(digest);
      assert.match(templateId, /^[0-9a-f]{32}$/);
      assert.ok(Number.isSafeInteger(linkId) && linkId >= 1);
      assert.is(linkIdOf(templateId), linkId);
    }),
  );
});

ids("are in no other text", () => {
  for (const text of ["", "0".repeat(32), "f".repeat(32), "A".repeat(32), "12".repeat(15), "12".repeat(17)]) {
    assert.is(linkIdOf(text), null, text);
  }
});

const drawn = suite("a random short id");

drawn("has 7 characters without look-alikes and could be a custom one", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 8, maxLength: 32 }), (bytes) => {
      const shortId = drawShortId(bytes);
      assert.match(shortId, /^[2-9a-hjkmnp-z]{7}$/);
      assert.ok(isShortId(shortId));
    }),
  );
});

const named = suite("a link that is named");

named("is found by id, short id and template id alike", () => {
  const link = { shortId: "spring-sale", ...linkIds(sha256("spring-sale")) };
  const names = [
    ["id", String(link.linkId)],
    ["shortId", link.shortId],
    ["trackingTemplateId", link.templateId],
  ] as const;
  for (const [idType, text] of names) {
    assert.is(resolveLinkId(idType, text, sha256), link.linkId);
    assert.ok(hasIdentifier(link, idType, text));
  }
});

named("is not one whose names only begin alike", () => {
  const link = { shortId: "spring-sale", ...linkIds(sha256("spring-sale")) };
  const forged = link.templateId.slice(0, 14) + "0".repeat(18);
  assert.is(resolveLinkId("trackingTemplateId", forged, sha256), link.linkId);
  assert.not.ok(hasIdentifier(link, "trackingTemplateId", forged));
});

named("has no id that is not a whole number of 53 bits", () => {
  for (const text of ["", "0", "-1", "1.5", "1e3", "0x10", " 1", "9007199254740993", "99999999999999999999"]) {
    assert.is(resolveLinkId("id", text, sha256), null, text);
  }
});

ids.run();
drawn.run();
named.run();
