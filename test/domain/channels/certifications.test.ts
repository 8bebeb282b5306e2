import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CertificationCommand, certificateOf, certifications } from "../../../domain/channels/certifications.ts";
import type { CertificationEvent } from "../../../domain/channels/events.ts";
import { rejectField } from "../../../domain/decider.ts";
import { fault } from "../../../domain/fault.ts";
import { addRules, assertDecidesOnce, fold } from "../../support/decider-specification.ts";

const certificate = (channel: string, tokenId: string, responseFormat = channel) => ({
  channel,
  responseFormat,
  tokenId,
  secretHashRest: "0".repeat(32),
});
const certify = (...of: Parameters<typeof certificate>) =>
  ({ type: "CertifyChannel", certificate: certificate(...of), isChannelKnown: true, visibleChannels: [] }) as const;
const revoke = (channel: string) => ({ type: "RevokeCertification", channel }) as const;
const certified = (...of: Parameters<typeof certificate>): CertificationEvent => ({
  type: "ChannelCertified",
  data: certificate(...of),
});
const revoked = (channel: string, tokenId: string): CertificationEvent => ({
  type: "CertificationRevoked",
  data: { channel, tokenId },
});
const taken = rejectField("RESPONSE_FORMAT_TAKEN", ["body", "responseFormat"]);
const ads = certified("tiktok", "a", "Ads");
/** Ads is free again. */
const recertified = [ads, revoked("tiktok", "a"), certified("tiktok", "b", "TikTok")];
const tiktok = certified("tiktok", "a");
const unknown = { ...certify("nobody", "a"), isChannelKnown: false };
const misspelled = { ...certify("tik-tok", "a"), isChannelKnown: false };
const misspelledPoster = { ...certify("postr", "a"), isChannelKnown: false, visibleChannels: ["billboard", "poster"] };
const meant = (nearest: string) => ({
  ...({ rejected: "CHANNEL_NOT_FOUND" } as const),
  faults: [fault("channel_not_found.nearest", ["path", "name"], { nearest })],
});

const certifying = suite("certifying channels");

addRules(certifying, certifications, [
  ["gives a channel a key", [], certify("tiktok", "a"), [tiktok]],
  [
    "revokes the former key in the same append",
    [tiktok],
    certify("tiktok", "b", "TikTok"),
    [revoked("tiktok", "a"), certified("tiktok", "b", "TikTok")],
  ],
  ["certifies again", [tiktok, revoked("tiktok", "a")], certify("tiktok", "b"), [certified("tiktok", "b")]],
  ["rejects the response format of another channel", [ads], certify("kakao", "b", "Ads"), taken],
  ["accepts a former response format", recertified, certify("kakao", "c", "Ads"), [certified("kakao", "c", "Ads")]],
  [
    "accepts the response format of a revoked certificate",
    [...recertified, revoked("tiktok", "b")],
    certify("kakao", "c", "TikTok"),
    [certified("kakao", "c", "TikTok")],
  ],
  ["rejects unknown channels", [], unknown, rejectField("CHANNEL_NOT_FOUND", ["path", "name"])],
  ["names the built-in channel that was probably meant", [], misspelled, meant("tiktok")],
  ["names the registered channel that was probably meant", [], misspelledPoster, meant("poster")],
  ["is revoked", [tiktok], revoke("tiktok"), [revoked("tiktok", "a")]],
  ["is revoked once", [tiktok, revoked("tiktok", "a")], revoke("tiktok"), []],
  ["rejects revoking what does not exist", [tiktok], revoke("kakao"), { rejected: "CERTIFICATION_NOT_FOUND" }],
]);

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
