import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { deviceKey } from "../../../commands/derived-ids.ts";
import { backFillRoutes } from "../../../commands/touchpoints/back-fill.ts";
import { createUserAgentReader } from "../../../commands/touchpoints/user-agent.ts";
import { builtInChannel } from "../../../domain/channels/built-in.ts";
import { customChannel } from "../../../domain/channels/channel-name.ts";
import type { TouchpointEvent } from "../../../domain/touchpoints/events.ts";
import { shop } from "../../examples/app.ts";
import { aLink, userAgents } from "../../examples/tracking-links.ts";
import { bulkIngestClient, startIngest } from "../../support/ingest.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const path = `/events/v1/apps/${shop.name}/touchpoints`;
const { iphone } = userAgents;

const springLink = aLink({ linkId: 7, isReengagement: "ON-TRUE" }).data;

/** Look-ups in progress, and the most that there were. */
const lookUps = { links: 0, maxLinks: 0, channels: 0, maxChannels: 0 };

const application = await startIngest((journals) =>
  backFillRoutes({
    journals,
    linkById: async (appId, linkId) => {
      lookUps.links += 1;
      lookUps.maxLinks = Math.max(lookUps.maxLinks, lookUps.links);
      await setImmediate();
      lookUps.links -= 1;
      return appId === shop.appId && linkId === springLink.linkId ? springLink : null;
    },
    channelProfile: async (name) => {
      lookUps.channels += 1;
      lookUps.maxChannels = Math.max(lookUps.maxChannels, lookUps.channels);
      await setImmediate();
      lookUps.channels -= 1;
      return builtInChannel(name) ?? customChannel(name);
    },
    readUserAgent: createUserAgentReader(),
  }),
);
const { send, ingest, storedWith } = bulkIngestClient(application, path, "touchpoints");

const clicked = (changes: object = {}) => ({
  touchpointId: randomUUID(),
  kind: "click",
  timestamp: Date.now(),
  channel: "newsletter",
  ...changes,
});
const touchpointOf = async (id: string) => (await storedWith(id))[0] as unknown as TouchpointEvent | undefined;
const sourceOf = async (changes: object) => {
  const touchpoint = clicked(changes);
  await ingest([touchpoint]);
  return (await touchpointOf(touchpoint.touchpointId))?.data.source;
};

const accepted = suite("accepted touchpoints of a back-fill");

accepted("are stored as sent, ids in lower case, personal data separately", async () => {
  const sent = {
    touchpointId: randomUUID().toUpperCase(),
    kind: "impression",
    channel: "google.adwords",
    campaignParams: { campaign: "brand", sub_id_1: "s" },
    gaid: "00000000-0000-0000-0000-000000000000",
    idfa: "0198A000-0000-4000-8000-0000000000FA",
    idfv: "0198a000-0000-4000-8000-0000000000fb",
    deviceId: "phone",
    ip: "::ffff:203.0.113.7",
    userAgent: iphone,
  };
  const { status, headers, json } = await send([{ ...sent, timestamp: Date.now() }]);
  assert.is(status, 202);
  const key = deviceKey(shop.salt, "phone");
  assert.equal(json, { data: { accepted: 1, duplicates: 0, rejected: [], devices: { phone: key } } });
  const [stored] = (await application.events()).slice(-1);
  assert.is(headers["x-log-position"], stored?.position.commit.toString());
  const touchpoint = (await touchpointOf(sent.touchpointId)) as TouchpointEvent;
  assert.is(touchpoint.type, "ImpressionRecorded");
  assert.equal(
    { ...touchpoint.data, at: "" },
    {
      touchpointId: sent.touchpointId.toLowerCase(),
      appId: shop.appId,
      at: "",
      origin: "back_fill",
      source: {
        channel: "google.adwords",
        channelType: "integrated",
        trackingLinkId: null,
        isReengagement: "OFF",
        campaignParams: { campaign: "brand", subId1: "s" },
        publisher: {},
      },
      verdict: { human: true },
      destination: null,
      deviceKey: key,
      os: "iOS",
      osVersion: "17.1.1",
      person: {
        ip: "203.0.113.7",
        userAgent: iphone,
        idfa: "0198a000-0000-4000-8000-0000000000fa",
        idfv: "0198a000-0000-4000-8000-0000000000fb",
        deviceId: "phone",
      },
    },
  );
});

accepted("lack those properties of the client that are empty texts", async () => {
  const [empty, absent] = [clicked({ deviceId: "", gaid: "", idfv: "", ip: "", os: "", osVersion: "" }), clicked()];
  const { accepted: count, devices } = await ingest([empty, absent]);
  assert.equal([count, devices], [2, {}]);
  const [ofEmpty, ofAbsent] = [await touchpointOf(empty.touchpointId), await touchpointOf(absent.touchpointId)];
  const { touchpointId } = empty;
  assert.equal(ofEmpty?.data, { ...ofAbsent?.data, touchpointId, at: new Date(empty.timestamp).toISOString() });
});

accepted("take missing fields from their tracking link", async () => {
  const ofLink = {
    channel: "partner",
    channelType: "custom",
    trackingLinkId: 7,
    isReengagement: "ON-TRUE",
    campaignParams: { campaign: "spring", adGroup: "shoes" },
    publisher: {},
  };
  assert.equal(await sourceOf({ trackingLinkId: 7, channel: undefined }), ofLink);
  assert.equal(await sourceOf({ trackingLinkId: 7, channel: "partner", campaignParams: { campaign: "easter" } }), {
    ...ofLink,
    campaignParams: { campaign: "easter", adGroup: "shoes" },
  });
});

accepted("have the operating system and version sent, else those of the user agent", async () => {
  const systems: unknown[] = [];
  for (const changes of [
    {},
    { userAgent: iphone },
    { os: "iOS", userAgent: iphone },
    { os: "Android", userAgent: iphone },
    { os: "Android", osVersion: "15", userAgent: iphone },
    { osVersion: "17.6", userAgent: iphone },
    { os: "iOS", osVersion: "17" },
  ]) {
    const touchpoint = clicked(changes);
    await ingest([touchpoint]);
    const stored = await touchpointOf(touchpoint.touchpointId);
    systems.push([stored?.data.os, stored?.data.osVersion]);
  }
  assert.equal(systems, [
    [null, null],
    ["iOS", "17.1.1"],
    ["iOS", "17.1.1"],
    ["Android", null],
    ["Android", "15"],
    ["iOS", "17.6"],
    ["iOS", "17"],
  ]);
});

accepted("are classified as human or bot by their user agent", async () => {
  const touchpoint = clicked({ userAgent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" });
  await ingest([touchpoint]);
  assert.equal((await touchpointOf(touchpoint.touchpointId))?.data.verdict, { human: false, bot: "Googlebot" });
});

accepted("are looked up 16 links and 16 channels at a time", async () => {
  const touchpoints = Array.from({ length: 500 }, (_, index) =>
    clicked(index % 2 === 0 ? { channel: `newsletter ${index}` } : { channel: undefined, trackingLinkId: index }),
  );
  assert.is((await send(touchpoints)).status, 202);
  assert.equal(lookUps, { links: 0, maxLinks: 16, channels: 0, maxChannels: 16 });
});

const rejected = suite("an invalid touchpoint among valid ones");

rejected("is reported with its index and code; the others are accepted", async () => {
  const bad: readonly (readonly [string, object])[] = [
    ["INVALID_FIELD", clicked({ kind: "tap" })],
    ["CHANNEL_REQUIRED", clicked({ channel: undefined })],
    ["INVALID_FIELD", clicked({ channel: "" })],
    ["INVALID_FIELD", clicked({ campaignParams: { colour: "red" } })],
    ["INVALID_FIELD", clicked({ trackingLinkId: "7" })],
    ["INVALID_TEXT", clicked({ deviceId: "a\0" })],
    ["INVALID_TOUCHPOINT_ID", clicked({ touchpointId: "1" })],
    ["INVALID_TIMESTAMP", clicked({ timestamp: "today" })],
    ["CHANNEL_REFUSED", clicked({ channel: "organic" })],
    ["CHANNEL_REFUSED", clicked({ channel: " newsletter" })],
    ["CHANNEL_REFUSED", clicked({ channel: "news\nletter" })],
    ["UNKNOWN_TRACKING_LINK", clicked({ trackingLinkId: 8 })],
    ["CHANNEL_MISMATCH", clicked({ trackingLinkId: 7 })],
  ];
  const answer = await ingest([clicked(), ...bad.map(([, touchpoint]) => touchpoint), clicked()]);
  assert.is(answer.accepted, 2);
  assert.equal(
    answer.rejected,
    bad.map(([code], index) => [index + 1, code]),
  );
});

rejected("is more than 10 minutes in the future or older than 800 days", async () => {
  const times = [10 * minute - 5_000, 10 * minute + 30_000, 5_000 - 800 * day, -1 - 800 * day];
  assert.equal((await ingest(times.map((ms) => clicked({ timestamp: Date.now() + ms })))).rejected, [
    [1, "TIMESTAMP_IN_FUTURE"],
    [3, "TIMESTAMP_TOO_OLD"],
  ]);
});

const channel = (length: number) => clicked({ channel: "😀".repeat(length) });
const campaign = (length: number) => clicked({ campaignParams: { campaign: "é".repeat(length) } });
const deviceId = (length: number) => clicked({ deviceId: "😀".repeat(length) });

rejected("has too long a channel, campaign parameter or device id", async () => {
  const sent = [channel(255), channel(256), channel(257), campaign(255), campaign(256), campaign(257)];
  const answer = await ingest([...sent, deviceId(127), deviceId(128), deviceId(129)]);
  assert.equal(
    answer.rejected,
    [2, 5, 8].map((index) => [index, "INVALID_FIELD"]),
  );
});

rejected("comes in a request of 1 to 500 touchpoints", async () => {
  const statuses = [];
  for (const count of [0, 1, 500, 501]) {
    statuses.push((await send(Array.from({ length: count }, () => clicked()))).status);
  }
  assert.equal(statuses, [400, 202, 202, 400]);
});

rejected.after(application.close);
accepted.run();
rejected.run();
