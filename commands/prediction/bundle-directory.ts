import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { ModelBundle, ModelBundleEvent } from "../../domain/prediction/events.ts";
import type { BundleWithStatus } from "../../domain/prediction/model-bundles.ts";
import { activationsOf, activeBundles, modelBundles } from "../../domain/prediction/model-bundles.ts";
import { isInCategory, modelBundlesStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { singleFlight } from "../single-flight.ts";

/** All model bundles, in memory. Look-ups reject with `EventLogUnavailable` when they must read and cannot. */
export interface BundleDirectory {
  /** Also one that is retired; null when there is none of that id. */
  find(bundleId: string): Promise<BundleWithStatus | null>;
  /**
   * Which bundles are active, as far as the log has been read: of apps by id, and under null of all other apps
   * (contract/administration.md#model-bundles).
   */
  active(): ReadonlyMap<number | null, ModelBundle>;
  /** All, the newest first, as the log has them now. */
  list(): Promise<readonly BundleWithStatus[]>;
  /** Takes what the tail brings; events of other streams are passed over. */
  apply(events: readonly RecordedEvent[]): void;
  /** Reads what has been decided since. */
  refresh(): Promise<void>;
  /** Calls `listener` whenever something was decided. */
  onChange(listener: () => void): void;
}

/** Folds the stream when it is refreshed; later the tail keeps it current, and a miss reads on. */
export function createBundleDirectory(log: EventLog): BundleDirectory {
  let state = modelBundles.initialState;
  const registeredAt = new Map<string, string>();
  let next = 0n;
  const listeners: (() => void)[] = [];

  const take = (recorded: RecordedEvent<ModelBundleEvent>): void => {
    if (recorded.revision !== next) return;
    next += 1n;
    state = modelBundles.evolve(state, recorded);
    if (recorded.type === "BundleRegistered") registeredAt.set(recorded.data.bundleId, recorded.metadata.occurredAt);
    for (const listener of listeners) listener();
  };
  const refresh = singleFlight(async () => {
    for await (const recorded of log.read(modelBundlesStream, next)) take(recorded);
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
      return [...state.bundles.keys()].reverse().flatMap((bundleId) => listed(bundleId) ?? []);
    },
    apply: (events) => {
      for (const recorded of events) {
        if (!isInCategory(recorded, "modelBundles")) continue;
        if (recorded.revision <= next) take(recorded);
        // Something is missing before it; who asks next reads on anyway.
        else void refresh().catch(() => {});
      }
    },
    refresh,
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}
