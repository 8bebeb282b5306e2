import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CertificationCommand, certificateOf, certifications } from "../../../domain/channels/certifications.ts";
import type { CertificationEvent } from "../../../domain/channels/events.ts";
import { fold, isRejection, rejectField } from "../../../domain/decider.ts";

const certificate = (channel: string, tokenId: string, responseFormat = channel) => ({
  channel,
  responseFormat,
  tokenId,
  secretHashRest: "0".repeat(32),
});
const certify = (...of: Parameters<typeof certificate>) =>
  ({ kind: "certify", certificate: certificate(...of), isChannelKnown: true }) as const;
const revoke = (channel: string) => ({ kind: "revoke", channel }) as const;
const certified = (...of: Parameters<typeof certificate>): CertificationEvent => ({
  type: "ChannelCertified",
  data: certificate(...of),
});
const revoked = (channel: string, tokenId: string): CertificationEvent => ({
  type: "CertificationRevoked",
  data: { channel, tokenId },
});
const decide = (given: readonly CertificationEvent[], command: CertificationCommand) =>
  certifications.decide(command, fold(certifications, given));

const certifying = suite("certifying channels");

certifying("gives a channel a key; a second one revokes the first in the same append", () => {
  assert.equal(decide([], certify("tiktok", "a")), [certified("tiktok", "a")]);
  assert.equal(decide([certified("tiktok", "a")], certify("tiktok", "b", "TikTok")), [
    revoked("tiktok", "a"),
    certified("tiktok", "b", "TikTok"),
  ]);
  const given = [certified("tiktok", "a"), revoked("tiktok", "a")];
  assert.equal(decide(given, certify("tiktok", "b")), [certified("tiktok", "b")]);
});

certifying("never gives two channels the same response format while both are certified", () => {
  const taken = rejectField("RESPONSE_FORMAT_TAKEN", ["body", "responseFormat"]);
  assert.equal(decide([certified("tiktok", "a", "Ads")], certify("kakao", "b", "Ads")), taken);
  const given = [certified("tiktok", "a", "Ads"), revoked("tiktok", "a"), certified("tiktok", "b", "TikTok")];
  assert.equal(decide(given, certify("kakao", "c", "Ads")), [certified("kakao", "c", "Ads")]);
  assert.equal(decide([...given, revoked("tiktok", "b")], certify("kakao", "c", "TikTok")), [
    certified("kakao", "c", "TikTok"),
  ]);
});

certifying("is for channels that are registered or built in", () => {
  const rejected = rejectField("CHANNEL_NOT_FOUND", ["path", "name"]);
  assert.equal(decide([], { ...certify("nobody", "a"), isChannelKnown: false }), rejected);
});

certifying("is taken back, once; of a channel that never was certified there is nothing to take back", () => {
  assert.equal(decide([certified("tiktok", "a")], revoke("tiktok")), [revoked("tiktok", "a")]);
  assert.equal(decide([certified("tiktok", "a"), revoked("tiktok", "a")], revoke("tiktok")), []);
  assert.equal(decide([certified("tiktok", "a")], revoke("kakao")), { rejected: "CERTIFICATION_NOT_FOUND" });
});

certifying("finds the certificate in force by its key", () => {
  const state = fold(certifications, [certified("tiktok", "a"), certified("kakao", "b"), revoked("kakao", "b")]);
  assert.equal(certificateOf(state, "a"), certificate("tiktok", "a"));
  assert.is(certificateOf(state, "b"), null);
});

certifying("decides twice as once", () => {
  const channel = fc.constantFrom("tiktok", "kakao", "appier");
  const command: fc.Arbitrary<CertificationCommand> = fc.oneof(
    fc.tuple(channel, fc.uuid(), fc.constantFrom("A", "B", "C")).map((it) => certify(...it)),
    channel.map(revoke),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 8 }), command, (before, last) => {
      let given: readonly CertificationEvent[] = [];
      let refused = false;
      for (const one of [...before, last]) {
        const decided = decide(given, one);
        refused = isRejection(decided);
        if (!isRejection(decided)) given = [...given, ...decided];
      }
      if (!refused) assert.equal(decide(given, last), []);
    }),
  );
});

certifying.run();
