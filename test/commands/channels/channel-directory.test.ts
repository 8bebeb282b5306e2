import { suite } from "uvu";
import * as assert from "uvu/assert";
import { channelFinder, createChannelDirectory, isKnownChannel } from "../../../commands/channels/channel-directory.ts";
import { builtInChannel } from "../../../domain/channels/built-in.ts";
import { customChannel } from "../../../domain/channels/channel-name.ts";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { recordedAt } from "../../examples/recorded-log.ts";
import { principals, servedShop } from "../../support/application.ts";

const billboards: ChannelProfile = { ...customChannel("billboards"), displayName: "Billboards", costIntegrated: true };
const registered = { ...recordedAt(0n, { type: "ChannelRegistered", data: billboards }), stream: "channel-billboards" };
const log = {
  read: async function* (stream: string) {
    if (stream === registered.stream) yield registered;
  },
} as unknown as EventLog;

const channels = suite("the directory of channels");

channels("has registered channels, built-in ones, and custom ones for every other name", async () => {
  const { profileOf } = createChannelDirectory(log);
  assert.equal(await profileOf("billboards"), billboards);
  assert.equal(await profileOf("tiktok"), builtInChannel("tiktok"));
  assert.equal(await profileOf("Newsletter März"), customChannel("Newsletter März"));
});

channels("follows the tail", async () => {
  const { profileOf, apply } = createChannelDirectory(log);
  await profileOf("billboards");
  const renamed = { ...billboards, displayName: "Hoardings" };
  const changed = recordedAt(1n, { type: "ChannelChanged", data: renamed });
  apply([{ ...changed, stream: registered.stream, revision: registered.revision + 1n }]);
  assert.equal(await profileOf("billboards"), renamed);
});

channels("knows registered and built-in channels", async () => {
  const known = (name: string) => isKnownChannel(log, name);
  assert.equal(await Promise.all(["billboards", "tiktok", "newsletter", "März"].map(known)), [
    true,
    true,
    false,
    false,
  ]);
});

channels("suggests all registered channels to operators, and to an app those of its links", async () => {
  const requestedFor: (number | null)[] = [];
  const find = channelFinder(log, async (appId) => {
    requestedFor.push(appId);
    return appId === null ? ["billboards", "posters"] : ["billboards"];
  });
  const [operator, owner] = [
    { principal: principals.operator, app: null },
    { principal: principals.owner, app: servedShop },
  ];
  assert.equal(
    [
      await find("poster", operator),
      await find("poster", { ...operator, app: servedShop }),
      await find("poster", owner),
    ],
    [["billboards", "posters"], ["billboards", "posters"], ["billboards"]].map((visibleChannels) => ({
      isChannelKnown: false,
      visibleChannels,
    })),
  );
  assert.equal(await find("billboards", owner), { isChannelKnown: true, visibleChannels: [] });
  assert.equal(requestedFor, [null, null, servedShop.appId]);
});

channels("suggests none when the read model does not respond", async () => {
  const find = channelFinder(log, () => Promise.reject(new Error("gone")));
  const found = await find("poster", { principal: principals.operator, app: null });
  assert.equal(found, { isChannelKnown: false, visibleChannels: [] });
});

channels.run();
