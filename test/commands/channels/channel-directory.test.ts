import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createChannelDirectory } from "../../../commands/channels/channel-directory.ts";
import { builtInChannel } from "../../../domain/channels/built-in.ts";
import { customChannel } from "../../../domain/channels/channel-name.ts";
import { recordedAt } from "../../examples/recorded-log.ts";
import { billboards, channelLog as log, registered } from "./channel-log.ts";

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

channels.run();
