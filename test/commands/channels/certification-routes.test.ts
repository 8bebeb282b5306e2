import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTokenCheck } from "../../../commands/tokens/token-check.ts";
import { channelCertificationsStream } from "../../../domain/streams.ts";
import { isTokenText } from "../../../domain/tokens/token-text.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import type { Answer } from "../../support/client.ts";

let application: Administration;
const certifying = suite("PUT and DELETE /admin/v1/channels/{name}/certification");
certifying.before(async () => {
  application = await startAdministration();
});
certifying.after(() => application.close());

const put = (channel: string, body: unknown, token = adminToken): Promise<Answer> =>
  application.call("PUT", `/admin/v1/channels/${channel}/certification`, { token, body });
const remove = (channel: string, token = adminToken): Promise<Answer> =>
  application.call("DELETE", `/admin/v1/channels/${channel}/certification`, { token });
const outcome = ({ status, json }: Answer): string =>
  [status, (json as { code?: string } | null)?.code].filter((part) => part !== undefined).join(" ");
const keyIn = ({ json }: Answer): string => (json as { apiKey: string }).apiKey;

certifying("answer the key once, and store its hash alone", async () => {
  const answer = await put("tiktok", { responseFormat: "TikTok For Business" });
  const apiKey = keyIn(answer);
  assert.equal([answer.status, Object.keys(answer.json as object)], [200, ["apiKey"]]);
  assert.match(apiKey, /^tl_channel_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/);
  assert.ok(isTokenText(apiKey));
  assert.ok(answer.headers["x-log-position"]);
  for await (const event of application.log.readAll("start", 1_000)) {
    const stored = JSON.stringify([event.type, event.data, event.metadata, event.stream]);
    assert.not.match(stored, apiKey.slice(11, 43));
  }
});

certifying("give a key that works until there is another one, or none", async () => {
  let now = 0;
  const check = createTokenCheck(application.log, adminToken, () => now);
  const first = keyIn(await put("twitter", { responseFormat: "X" }));
  const principal = (await check(`Bearer ${first}`)) as unknown as Record<string, unknown>;
  const { tokenId, ...known } = principal;
  assert.equal(known, { kind: "channel", channel: "twitter", responseFormat: "X" });
  const second = keyIn(await put("twitter", { responseFormat: "X" }));
  // What was answered is kept for 1.5 s, within 2 s (contract/tokens.md#operators).
  now = 1_499;
  assert.is.not(await check(`Bearer ${first}`), "unknown");
  now = 1_500;
  assert.is(await check(`Bearer ${first}`), "unknown");
  assert.is.not(await check(`Bearer ${second}`), "unknown");
  assert.is((await remove("twitter")).status, 204);
  assert.is((await remove("twitter")).status, 204);
  now = 3_000;
  assert.is(await check(`Bearer ${second}`), "unknown");
  const types = [];
  for await (const { type, data } of application.log.read(channelCertificationsStream)) {
    if ((data as { channel: string }).channel === "twitter") types.push(type);
  }
  assert.equal(types, ["ChannelCertified", "CertificationRevoked", "ChannelCertified", "CertificationRevoked"]);
});

certifying("are for channels that are known, each with a response format of its own", async () => {
  assert.is(outcome(await put("nobody", { responseFormat: "Nobody" })), "404 CHANNEL_NOT_FOUND");
  assert.is(outcome(await put("No%20body", { responseFormat: "Nobody" })), "404 CHANNEL_NOT_FOUND");
  assert.is(outcome(await remove("nobody")), "404 CERTIFICATION_NOT_FOUND");
  const profile = { displayName: "Billboards", type: "custom", selfAttributing: false, costIntegrated: false };
  await application.call("PUT", "/admin/v1/channels/billboards", { token: adminToken, body: profile });
  assert.is((await put("billboards", { responseFormat: "Ads" })).status, 200);
  assert.is(outcome(await put("kakao", { responseFormat: "Ads" })), "409 RESPONSE_FORMAT_TAKEN");
  const both = await Promise.all([
    put("kakao", { responseFormat: "At once" }),
    put("appier", { responseFormat: "At once" }),
  ]);
  assert.equal(both.map(outcome).sort(), ["200", "409 RESPONSE_FORMAT_TAKEN"]);
  await remove("billboards");
  assert.is((await put("kakao", { responseFormat: "Ads" })).status, 200);
});

certifying("take response formats as display names are", async () => {
  for (const responseFormat of ["x", "é".repeat(256), "TikTok For Business", "광고"]) {
    assert.is((await put("tiktok", { responseFormat })).status, 200, responseFormat);
  }
  for (const body of [{}, { responseFormat: "" }, { responseFormat: " x" }, { responseFormat: "x".repeat(257) }, []]) {
    assert.is(outcome(await put("tiktok", body)), "400 VALIDATION_FAILED", JSON.stringify(body));
  }
  assert.is(outcome(await put("tiktok", { responseFormat: 1 })), "400 VALIDATION_FAILED");
  assert.is(outcome(await put("tiktok", { responseFormat: "x", apiKey: "mine" })), "400 VALIDATION_FAILED");
});

certifying.run();
