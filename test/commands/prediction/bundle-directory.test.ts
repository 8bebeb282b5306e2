import { suite } from "uvu";
import * as assert from "uvu/assert";
import { handleCommand } from "../../../commands/handle-command.ts";
import { type BundleDirectory, createBundleDirectory } from "../../../commands/prediction/bundle-directory.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { type ModelBundleCommand, modelBundles } from "../../../domain/prediction/model-bundles.ts";
import { modelBundlesStream } from "../../../domain/streams.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { operatorCause } from "../../examples/cause.ts";
import { springRegistered } from "../../examples/model-bundles.ts";
import { startTestLog, type TestLog } from "../../support/event-store.ts";

let store: TestLog;
let reads: bigint[];
let directory: BundleDirectory;

const bundles = suite("the directory of model bundles");
bundles.before.each(async () => {
  store = await startTestLog();
  reads = [];
  const read: EventLog["read"] = (stream, from = 0n) => {
    reads.push(from);
    return store.log.read(stream, from);
  };
  directory = createBundleDirectory({ ...store.log, read });
});
bundles.after.each(() => store.close());

let commands = 0;
async function decide(command: ModelBundleCommand): Promise<void> {
  commands += 1;
  await handleCommand(store.log, modelBundles, modelBundlesStream, `command ${commands}`, command, operatorCause);
}
const register = (bundleId: string) => decide({ type: "RegisterBundle", data: { ...springRegistered.data, bundleId } });
const activate = (bundleId: string, appId: number | null) => decide({ type: "ActivateBundle", bundleId, appId });

async function recorded(): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const event of store.log.read(modelBundlesStream)) events.push(event);
  return events;
}
const listed = {
  bundle: springRegistered.data,
  registeredAt: operatorCause.occurredAt,
  isDefault: false,
  appIds: [1],
  isRetired: false,
};

bundles("folds the stream at the first look-up, then reads from memory", async () => {
  await register("spring-1");
  await activate("spring-1", 1);
  assert.equal(await directory.find("spring-1"), listed);
  assert.equal(directory.active(), new Map([[1, springRegistered.data]]));
  assert.equal(reads, [0n]);
});

bundles("reads further events on a miss", async () => {
  await directory.refresh();
  await register("spring-1");
  await activate("spring-1", 1);
  assert.equal(await directory.find("spring-1"), listed);
  assert.equal(reads, [0n, 0n]);
  assert.is(await directory.find("summer-1"), null);
  assert.equal(reads, [0n, 0n, 2n]);
});

bundles("applies events of the tail in any overlap, and notifies its listeners", async () => {
  let changes = 0;
  directory.onChange(() => {
    changes += 1;
  });
  await register("spring-1");
  await activate("spring-1", 1);
  const [first, second] = await recorded();
  if (first === undefined || second === undefined) throw new Error("a bundle was registered and activated");
  directory.apply([first]);
  directory.apply([first, second, { ...second, stream: "channel-tiktok", revision: 2n }]);
  assert.equal(await directory.find("spring-1"), listed);
  assert.equal([reads, changes], [[], 2]);
});

bundles("lists the bundles in the log, oldest first", async () => {
  await register("spring-1");
  await directory.refresh();
  await register("summer-1");
  await activate("summer-1", null);
  await decide({ type: "RetireBundle", bundleId: "spring-1" });
  assert.equal(await directory.list(), [
    { ...listed, appIds: [], isRetired: true },
    { ...listed, bundle: { ...springRegistered.data, bundleId: "summer-1" }, isDefault: true, appIds: [] },
  ]);
});

bundles("returns cached bundles while the log is unavailable, and rejects other lookups", async () => {
  await register("spring-1");
  await activate("spring-1", null);
  await directory.refresh();
  await store.stopStore();
  assert.equal(directory.active(), new Map([[null, springRegistered.data]]));
  assert.is(await directory.find("summer-1").catch((failure: Error) => failure.name), "EventLogUnavailable");
  assert.is(await directory.list().catch((failure: Error) => failure.name), "EventLogUnavailable");
});

bundles.run();
