import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type AppDirectory, createAppDirectory } from "../../../commands/apps/app-directory.ts";
import { handleCommand } from "../../../commands/handle-command.ts";
import { appRegistry } from "../../../domain/apps/app-registry.ts";
import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { appRegistryStream } from "../../../domain/streams.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { shop } from "../../examples/app.ts";
import { operatorCause } from "../../examples/cause.ts";
import { startTestLog, type TestLog } from "../../support/event-store.ts";

const { appId: _appId, salt, tokenIds, ...settings } = shop;

let store: TestLog;
let reads: bigint[];
let directory: AppDirectory;
/** The shop as it is registered in a test. */
let registeredShop: RegisteredApp;

const apps = suite("the directory of apps");
apps.before.each(async () => {
  store = await startTestLog();
  reads = [];
  const read: EventLog["read"] = (stream, from = 0n) => {
    reads.push(from);
    return store.log.read(stream, from);
  };
  directory = createAppDirectory({ ...store.log, read });
});
apps.after.each(() => store.close());

async function register(name: string): Promise<void> {
  const command = {
    type: "RegisterApp" as const,
    settings: { ...settings, name, iosStoreId: name === "shop" ? shop.iosStoreId : null },
    salt: salt.replaceAll("0", name === "shop" ? "0" : "1"),
    tokenIds,
  };
  await handleCommand(store.log, appRegistry, appRegistryStream, `register ${name}`, command, operatorCause);
  const [first] = await recorded();
  if (first === undefined) throw new Error("an app was registered");
  const registeredPosition = first.position.commit;
  registeredShop = { ...settings, appId: 1, salt, registeredAt: operatorCause.occurredAt, registeredPosition };
}

async function change(appId: number, changes: object): Promise<void> {
  const command = { type: "ChangeAppSettings" as const, appId, changes };
  const commandId = `change ${JSON.stringify(command)}`;
  await handleCommand(store.log, appRegistry, appRegistryStream, commandId, command, operatorCause);
}

async function recorded(): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const event of store.log.read(appRegistryStream)) events.push(event);
  return events;
}

apps("folds the registry at the first look-up, then reads from memory", async () => {
  await register("shop");
  await register("cafe");
  assert.equal(await directory.findApp("shop"), registeredShop);
  assert.equal(await directory.findAppById(1), registeredShop);
  assert.is((await directory.findApp("cafe"))?.appId, 2);
  assert.equal(await directory.findAppByStoreId(shop.iosStoreId), registeredShop);
  assert.equal(reads, [0n]);
});

apps("reads further events on a miss, and caches the miss for a while", async () => {
  await register("shop");
  await directory.findApp("shop");
  assert.is(await directory.findApp("cafe"), null);
  assert.is(await directory.findApp("cafe"), null);
  assert.equal(reads, [0n, 1n]);
  await register("cafe");
  assert.is((await directory.findAppById(2))?.name, "cafe");
  assert.is((await directory.findApp("cafe"))?.appId, 2);
  assert.equal(reads, [0n, 1n, 1n]);
});

apps("applies events of the tail in any overlap", async () => {
  await register("shop");
  await register("cafe");
  const [first, second] = await recorded();
  if (first === undefined || second === undefined) throw new Error("two apps were registered");
  directory.apply([first]);
  directory.apply([first, second, { ...second, stream: "channel-tiktok", revision: 2n }]);
  assert.equal(await directory.findApp("shop"), registeredShop);
  assert.is((await directory.findApp("cafe"))?.appId, 2);
  assert.equal(reads, []);
});

apps("applies changes of settings", async () => {
  await register("shop");
  await directory.findApp("shop");
  await change(1, { iosStoreId: "42", redirectHosts: ["news.example"] });
  directory.apply(await recorded());
  const changed = { ...registeredShop, iosStoreId: "42", redirectHosts: ["news.example"] };
  assert.equal([await directory.findApp("shop"), directory.knownApp(1)], [changed, changed]);
  assert.equal(await directory.findAppByStoreId("42"), changed);
  assert.is(await directory.findAppByStoreId(shop.iosStoreId), null);
  assert.is(directory.knownApp(2), null);
});

apps("lists all, the same list until one is registered or changed", async () => {
  await register("shop");
  const one = await directory.allApps();
  assert.equal(one, [registeredShop]);
  assert.is(await directory.allApps(), one);
  await register("cafe");
  await change(1, { redirectHosts: ["news.example"] });
  directory.apply(await recorded());
  assert.equal(
    (await directory.allApps()).map(({ name, redirectHosts }) => [name, redirectHosts]),
    [
      ["shop", ["news.example"]],
      ["cafe", []],
    ],
  );
  assert.equal(reads, [0n]);
});

apps("reads at most once more for concurrent misses", async () => {
  await register("shop");
  const names = Array.from({ length: 50 }, (_, index) => `nobody_${index}`);
  const found = await Promise.all([...names, "shop"].map(directory.findApp));
  assert.is(found.filter((app) => app !== null).length, 1);
  assert.equal(reads.length, 2);
});

apps("returns cached apps while the log is unavailable, and rejects other lookups", async () => {
  await register("shop");
  await directory.findApp("shop");
  await store.stopStore();
  assert.equal(await directory.findApp("shop"), registeredShop);
  assert.is(await directory.findApp("cafe").catch((failure: Error) => failure.name), "EventLogUnavailable");
});

apps.run();
