import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ChannelDirectory, createChannelDirectory } from "../../../commands/channels/channel-directory.ts";
import { handleCommand } from "../../../commands/handle-command.ts";
import { builtInChannel } from "../../../domain/channels/built-in.ts";
import { channel } from "../../../domain/channels/channel.ts";
import { customChannel } from "../../../domain/channels/channel-name.ts";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { channelStream } from "../../../domain/streams.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { operatorCause } from "../../support/cause.ts";
import { startTestLog, type TestLog } from "../../support/event-store.ts";

const billboards: ChannelProfile = { ...customChannel("billboards"), displayName: "Billboards", costIntegrated: true };

let store: TestLog;
let reads = 0;
let directory: ChannelDirectory;

const channels = suite("the directory of channels");
channels.before.each(async () => {
  store = await startTestLog();
  reads = 0;
  const read: EventLog["read"] = (stream, from) => {
    reads += 1;
    return store.log.read(stream, from);
  };
  directory = createChannelDirectory({ ...store.log, read });
});
channels.after.each(() => store.close());

async function put(profile: ChannelProfile): Promise<void> {
  const id = JSON.stringify(profile);
  await handleCommand(store.log, channel, channelStream(profile.name), id, { profile }, operatorCause);
}

async function recorded(name: string): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const event of store.log.read(channelStream(name))) events.push(event);
  return events;
}

channels("answers registered ones, built-in ones, and custom ones for every other name", async () => {
  await put(billboards);
  assert.equal(await directory.profileOf("billboards"), billboards);
  assert.equal(await directory.profileOf("tiktok"), builtInChannel("tiktok"));
  assert.equal(await directory.profileOf("Newsletter März"), customChannel("Newsletter März"));
});

channels("reads a channel once", async () => {
  await directory.profileOf("tiktok");
  await directory.profileOf("tiktok");
  assert.is(reads, 1);
});

channels("follows the tail, and is not taken back by what is older", async () => {
  await directory.profileOf("billboards");
  await put(billboards);
  const renamed = { ...billboards, displayName: "Hoardings" };
  await put(renamed);
  const events = await recorded("billboards");
  directory.apply(events);
  assert.equal(await directory.profileOf("billboards"), renamed);
  directory.apply(events.slice(0, 1));
  assert.equal(await directory.profileOf("billboards"), renamed);
  assert.is(reads, 1);
});

channels("is not taken back by a read that began before the tail brought news", async () => {
  await put(billboards);
  const renamed = { ...billboards, displayName: "Hoardings" };
  const [first] = await recorded("billboards");
  if (first === undefined) throw new Error("a channel was registered");
  await put(renamed);
  const [, second] = await recorded("billboards");
  if (second === undefined) throw new Error("a channel was changed");
  const stale: EventLog["read"] = async function* () {
    yield first;
    directory.apply([second]);
  };
  directory = createChannelDirectory({ ...store.log, read: stale });
  assert.equal(await directory.profileOf("billboards"), renamed);
});

channels.run();
