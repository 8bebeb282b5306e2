import { LRUCache } from "lru-cache";
import type { AppRegistryEvent } from "../../domain/apps/events.ts";
import { changedApp, type RegisteredApp, registeredApp } from "../../domain/apps/registered-app.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { appRegistryStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { followStream } from "../stream-follower.ts";

/** All apps, in memory. Look-ups reject with `EventLogUnavailable` if they must read and cannot. */
export interface AppDirectory {
  findApp(name: string): Promise<RegisteredApp | null>;
  findAppById(appId: number): Promise<RegisteredApp | null>;
  /** The app that an event names by its id. @throws {Error} when there is none */
  requireApp(appId: number): Promise<RegisteredApp>;
  /** By its store id on iOS, which no two apps share. */
  findAppByStoreId(iosStoreId: string): Promise<RegisteredApp | null>;
  /** Every app, as current as the tail of the log; the same array until one is registered or changed. */
  allApps(): Promise<readonly RegisteredApp[]>;
  /** The app if it is in memory, without waiting; else null. */
  knownApp(appId: number): RegisteredApp | null;
  /** The names of the apps that are in memory. */
  appNames(): readonly string[];
  /** Applies events from the tail of the log; events of other streams are ignored. */
  apply(events: readonly RecordedEvent[]): void;
  /** Reads new registrations and changes. */
  refresh(): Promise<void>;
}

/** How long a miss is cached. */
const missTtlMs = 1_000;
const maxMisses = 10_000;

/** Folds the registry at the first look-up; later only a miss reads new events. */
export function createAppDirectory(log: EventLog): AppDirectory {
  const byName = new Map<string, RegisteredApp>();
  const byId = new Map<number, RegisteredApp>();
  const byStoreId = new Map<string, RegisteredApp>();
  const unknown = new LRUCache<string | number, true>({ max: maxMisses, ttl: missTtlMs });
  const unknownStoreIds = new LRUCache<string | number, true>({ max: maxMisses, ttl: missTtlMs });
  let all: readonly RegisteredApp[] | null = null;

  const appAfter = (recorded: RecordedEvent<AppRegistryEvent>): RegisteredApp | null => {
    const { metadata, position } = recorded;
    if (recorded.type === "AppRegistered") return registeredApp(recorded.data, metadata.occurredAt, position.commit);
    const earlier = byId.get(recorded.data.appId);
    if (earlier === undefined) return null;
    if (earlier.iosStoreId !== null) byStoreId.delete(earlier.iosStoreId);
    return changedApp(earlier, recorded.data);
  };
  const registry = followStream(log, appRegistryStream, "appRegistry", (recorded) => {
    all = null;
    const app = appAfter(recorded);
    if (app === null) return;
    byName.set(app.name, app);
    byId.set(app.appId, app);
    if (app.iosStoreId !== null) byStoreId.set(app.iosStoreId, app);
  });
  const find = async <Key extends string | number>(
    apps: ReadonlyMap<Key, RegisteredApp>,
    key: Key,
    missing: LRUCache<string | number, true> = unknown,
  ): Promise<RegisteredApp | null> => {
    const known = apps.get(key);
    if (known !== undefined) return known;
    if (missing.has(key)) return null;
    await registry.refresh();
    const found = apps.get(key) ?? null;
    if (found === null) missing.set(key, true);
    return found;
  };

  return {
    findApp: (name) => find(byName, name),
    findAppById: (appId) => find(byId, appId),
    requireApp: async (appId) => {
      const app = await find(byId, appId);
      if (app === null) throw new Error(`App ${appId} is unknown`);
      return app;
    },
    findAppByStoreId: (iosStoreId) => find(byStoreId, iosStoreId, unknownStoreIds),
    appNames: () => [...byName.keys()],
    allApps: async () => {
      if (!registry.hasBegun()) await registry.refresh();
      all ??= [...byId.values()];
      return all;
    },
    knownApp: (appId) => byId.get(appId) ?? null,
    apply: registry.apply,
    refresh: registry.refresh,
  };
}
