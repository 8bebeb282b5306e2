import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTokenCheck } from "../../../commands/tokens/token-check.ts";
import { channelCertificationsStream } from "../../../domain/streams.ts";
import { isTokenText } from "../../../domain/tokens/token-text.ts";
import type { SecurityEvent } from "../../../infra/process/security-log.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import type { Answer } from "../../support/raw-client.ts";
import { outcomeOf } from "../../support/served-routes.ts";

const securityEvents: SecurityEvent[] = [];
let application: Administration;
const certifying = suite("PUT and DELETE /admin/v1/channels/{name}/certification");
certifying.before(async () => {
  application = await startAdministration({ secured: (event) => void securityEvents.push(event) });
});
certifying.after(() => application.close());

const put = (channel: string, body: unknown): Promise<Answer> =>
  application.call("PUT", `/admin/v1/channels/${channel}/certification`, { token: adminToken, body });
const remove = (channel: string): Promise<Answer> =>
  application.call("DELETE", `/admin/v1/channels/${channel}/certification`, { token: adminToken });
const keyIn = ({ json }: Answer): string => (json as { apiKey: string }).apiKey;

certifying("responds with the key once, and stores only its hash", async () => {
  const answer = await put("tiktok", { responseFormat: "TikTok For Business" });
  const apiKey = keyIn(answer);
  assert.equal([answer.status, Object.keys(answer.json as object)], [200, ["apiKey"]]);
  assert.match(apiKey, /^tl_channel_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/);
  assert.ok(isTokenText(apiKey));
  assert.ok(answer.headers["x-log-position"]);
  for (const { type, data, metadata, stream } of await application.events()) {
    assert.not.match(JSON.stringify([type, data, metadata, stream]), apiKey.slice(11, 43));
  }
});

certifying("replaces or revokes the key within 2 s", async () => {
  let now = 0;
  const check = createTokenCheck(application.log, adminToken, () => now);
  const first = keyIn(await put("twitter", { responseFormat: "X" }));
  const principal = (await check(`Bearer ${first}`)) as unknown as Record<string, unknown>;
  const { tokenId, ...known } = principal;
  assert.equal(known, { kind: "channel", channel: "twitter", responseFormat: "X" });
  const second = keyIn(await put("twitter", { responseFormat: "X" }));
  // A token check is cached for 1.5 s, within the 2 s of the contract (contract/tokens.md#operators).
  now = 1_499;
  assert.is.not(await check(`Bearer ${first}`), "unknown");
  now = 1_500;
  assert.is(await check(`Bearer ${first}`), "unknown");
  assert.is.not(await check(`Bearer ${second}`), "unknown");
  assert.is((await remove("twitter")).status, 204);
  assert.is((await remove("twitter")).status, 204);
  now = 3_000;
  assert.is(await check(`Bearer ${second}`), "unknown");
  const ofTwitter = (await application.facts(channelCertificationsStream)).filter(
    ({ data }) => (data as { channel: string }).channel === "twitter",
  );
  assert.equal(
    ofTwitter.map(({ type }) => type),
    ["ChannelCertified", "CertificationRevoked", "ChannelCertified", "CertificationRevoked"],
  );
});

certifying("logs the id of an issued key and the channel of a revoked one", async () => {
  const before = securityEvents.length;
  await put("snapchat", { responseFormat: "Snapchat" });
  await remove("snapchat");
  const [certified] = (await application.facts(channelCertificationsStream)).slice(-2);
  const { tokenId } = (certified?.data ?? {}) as { tokenId?: string };
  assert.equal(
    securityEvents.slice(before).map(({ event, status, tokens }) => [event, status, tokens]),
    [
      ["token_issued", 200, [tokenId]],
      ["token_revoked", 204, ["channel:snapchat"]],
    ],
  );
});

certifying("needs a known channel and a response format that no other channel has", async () => {
  assert.is(outcomeOf(await put("nobody", { responseFormat: "Nobody" })), "404 CHANNEL_NOT_FOUND");
  assert.is(outcomeOf(await put("No%20body", { responseFormat: "Nobody" })), "404 CHANNEL_NOT_FOUND");
  assert.is(outcomeOf(await remove("nobody")), "404 CERTIFICATION_NOT_FOUND");
  const profile = { displayName: "Billboards", type: "custom", selfAttributing: false, costIntegrated: false };
  await application.call("PUT", "/admin/v1/channels/billboards", { token: adminToken, body: profile });
  assert.is((await put("billboards", { responseFormat: "Ads" })).status, 200);
  assert.is(outcomeOf(await put("kakao", { responseFormat: "Ads" })), "409 RESPONSE_FORMAT_TAKEN");
  const both = await Promise.all([
    put("kakao", { responseFormat: "At once" }),
    put("appier", { responseFormat: "At once" }),
  ]);
  assert.equal(both.map(outcomeOf).sort(), ["200", "409 RESPONSE_FORMAT_TAKEN"]);
  await remove("billboards");
  assert.is((await put("kakao", { responseFormat: "Ads" })).status, 200);
});

certifying("validates the response format like a display name", async () => {
  for (const responseFormat of ["x", "é".repeat(256), "TikTok For Business", "광고"]) {
    assert.is((await put("tiktok", { responseFormat })).status, 200, responseFormat);
  }
  const named = ["", " x", "x ", "x\ny", "x".repeat(257), 1].map((responseFormat) => ({ responseFormat }));
  for (const body of [{}, ...named, { responseFormat: "x", apiKey: "mine" }, []]) {
    assert.is(outcomeOf(await put("tiktok", body)), "400 VALIDATION_FAILED", JSON.stringify(body));
  }
});

certifying.run();
