import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { BundleWithStatus } from "../../domain/prediction/bundle-record.ts";
import type { ModelBundle } from "../../domain/prediction/events.ts";
import { activationsOf, activeBundles, modelBundles } from "../../domain/prediction/model-bundles.ts";
import { modelBundlesStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { followStream } from "../stream-follower.ts";

/** All model bundles, in memory. Look-ups reject with `EventLogUnavailable` if they must read and cannot. */
export interface BundleDirectory {
  /** A bundle, retired or not; null for an unknown id. */
  find(bundleId: string): Promise<BundleWithStatus | null>;
  /**
   * The active bundles by app id, as far as the log has been read; under null that of all other apps
   * (contract/administration.md#model-bundles).
   */
  active(): ReadonlyMap<number | null, ModelBundle>;
  /** All bundles in the log, oldest first. */
  list(): Promise<readonly BundleWithStatus[]>;
  /** Applies events from the tail of the log; events of other streams are ignored. */
  apply(events: readonly RecordedEvent[]): void;
  /** Reads new events. */
  refresh(): Promise<void>;
  /** Calls `listener` after every event. */
  onChange(listener: () => void): void;
}

/** Folds the stream at the first refresh; from then on the tail keeps it current, and a miss reads new events. */
export function createBundleDirectory(log: EventLog): BundleDirectory {
  let state = modelBundles.initialState;
  const registeredAt = new Map<string, string>();
  const listeners: (() => void)[] = [];

  const { refresh, apply } = followStream(log, modelBundlesStream, "modelBundles", (recorded) => {
    state = modelBundles.evolve(state, recorded);
    if (recorded.type === "BundleRegistered") registeredAt.set(recorded.data.bundleId, recorded.metadata.occurredAt);
    for (const listener of listeners) listener();
  });
  const listed = (bundleId: string): BundleWithStatus | null => {
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
    active: () => activeBundles(state),
    list: async () => {
      await refresh();
      return [...state.bundles.keys()].flatMap((bundleId) => listed(bundleId) ?? []);
    },
    apply,
    refresh,
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}
