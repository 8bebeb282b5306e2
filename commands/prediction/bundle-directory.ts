import type { ListedBundle } from "../../domain/prediction/bundle-record.ts";
import type { BundleRegistered, ModelBundleEvent } from "../../domain/prediction/events.ts";
import { activationsOf, activeBundleFor, modelBundles } from "../../domain/prediction/model-bundles.ts";
import type { RecordedEvent } from "../../domain/recorded-event.ts";
import { modelBundlesStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { coalesced } from "../coalesced.ts";

/** All model bundles, in memory. Look-ups reject with `EventLogUnavailable` when they must read and cannot. */
export interface BundleDirectory {
  /** Also one that is retired; null when there is none of that id. */
  find(bundleId: string): Promise<ListedBundle | null>;
  /** The bundle that answers for an app (D3.7); null when there is none. */
  activeFor(appId: number): Promise<BundleRegistered["data"] | null>;
  /** All, the newest first, as the log has them now. */
  list(): Promise<readonly ListedBundle[]>;
  /** Takes what the tail brings; events of other streams are passed over. */
  apply(events: readonly RecordedEvent[]): void;
  /** Reads what has been decided since. */
  refresh(): Promise<void>;
}

/** How long "no bundle is active" stays so without a look into the log. */
const noneForMs = 1_000;

/** Folds the stream at the first look-up; later the tail keeps it current, and a miss reads on. */
export function createBundleDirectory(log: EventLog): BundleDirectory {
  let state = modelBundles.initialState;
  const registeredAt = new Map<string, string>();
  let next = 0n;
  /** How many events the stream has at least. */
  let seen = 0n;
  let readAt = Number.NEGATIVE_INFINITY;

  const take = (recorded: RecordedEvent): void => {
    if (recorded.revision !== next) return;
    next += 1n;
    const event = recorded as unknown as ModelBundleEvent;
    state = modelBundles.evolve(state, event);
    if (event.type === "BundleRegistered") registeredAt.set(event.data.bundleId, recorded.metadata.occurredAt);
  };
  const refresh = coalesced(async () => {
    for await (const recorded of log.read(modelBundlesStream, next)) take(recorded);
    readAt = performance.now();
  });
  const listed = (bundleId: string): ListedBundle | null => {
    const known = state.bundles.get(bundleId);
    if (known === undefined) return null;
    return {
      bundle: known.data,
      registeredAt: registeredAt.get(bundleId) ?? "",
      isRetired: known.stage === "retired",
      ...activationsOf(state, bundleId),
    };
  };

  return {
    find: async (bundleId) => {
      if (!state.bundles.has(bundleId)) await refresh();
      return listed(bundleId);
    },
    activeFor: async (appId) => {
      if (next < seen) await refresh();
      const active = activeBundleFor(state, appId);
      if (active !== null || performance.now() - readAt < noneForMs) return active;
      await refresh();
      return activeBundleFor(state, appId);
    },
    list: async () => {
      await refresh();
      return [...state.bundles.keys()].reverse().flatMap((bundleId) => listed(bundleId) ?? []);
    },
    apply: (events) => {
      for (const recorded of events) {
        if (recorded.stream !== modelBundlesStream) continue;
        if (recorded.revision >= seen) seen = recorded.revision + 1n;
        take(recorded);
      }
    },
    refresh,
  };
}
