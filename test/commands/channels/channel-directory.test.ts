import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createChannelDirectory, isKnownChannel } from "../../../commands/channels/channel-directory.ts";
import { builtInChannel } from "../../../domain/channels/built-in.ts";
import { customChannel } from "../../../domain/channels/channel-name.ts";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { recordedAt } from "../../examples/recorded-log.ts";

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

channels.run();
