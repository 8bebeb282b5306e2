import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CertificationCommand, certificateOf, certifications } from "../../../domain/channels/certifications.ts";
import type { CertificationEvent } from "../../../domain/channels/events.ts";
import { fold, rejectField } from "../../../domain/decider.ts";
import { assertDecidesOnce, specification } from "../../support/specification.ts";

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
const { given } = specification(certifications);

const certifying = suite("certifying channels");

certifying("gives a channel a key; a second one revokes the first in the same append", () => {
  given()
    .when(certify("tiktok", "a"))
    .then([certified("tiktok", "a")]);
  given(certified("tiktok", "a"))
    .when(certify("tiktok", "b", "TikTok"))
    .then([revoked("tiktok", "a"), certified("tiktok", "b", "TikTok")]);
  given(certified("tiktok", "a"), revoked("tiktok", "a"))
    .when(certify("tiktok", "b"))
    .then([certified("tiktok", "b")]);
});

certifying("never gives two channels the same response format while both are certified", () => {
  const taken = rejectField("RESPONSE_FORMAT_TAKEN", ["body", "responseFormat"]);
  given(certified("tiktok", "a", "Ads"))
    .when(certify("kakao", "b", "Ads"))
    .then(taken);
  const before = [certified("tiktok", "a", "Ads"), revoked("tiktok", "a"), certified("tiktok", "b", "TikTok")];
  given(...before)
    .when(certify("kakao", "c", "Ads"))
    .then([certified("kakao", "c", "Ads")]);
  given(...before, revoked("tiktok", "b"))
    .when(certify("kakao", "c", "TikTok"))
    .then([certified("kakao", "c", "TikTok")]);
});

certifying("is for channels that are registered or built in", () => {
  const rejected = rejectField("CHANNEL_NOT_FOUND", ["path", "name"]);
  given()
    .when({ ...certify("nobody", "a"), isChannelKnown: false })
    .then(rejected);
});

certifying("is taken back, once; of a channel that never was certified there is nothing to take back", () => {
  given(certified("tiktok", "a"))
    .when(revoke("tiktok"))
    .then([revoked("tiktok", "a")]);
  given(certified("tiktok", "a"), revoked("tiktok", "a")).when(revoke("tiktok")).then([]);
  given(certified("tiktok", "a")).when(revoke("kakao")).then({ rejected: "CERTIFICATION_NOT_FOUND" });
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
  assertDecidesOnce(certifications, command);
});

certifying.run();
