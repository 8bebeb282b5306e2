import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { ModelBundle, ModelBundleEvent } from "../../domain/prediction/events.ts";
import type { BundleWithStatus } from "../../domain/prediction/model-bundles.ts";
import { activationsOf, activeBundles, modelBundles } from "../../domain/prediction/model-bundles.ts";
import { singleFlight } from "../../domain/single-flight.ts";
import { isInCategory, modelBundlesStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";

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
      return [...state.bundles.keys()].flatMap((bundleId) => listed(bundleId) ?? []);
    },
    apply: (events) => {
      for (const recorded of events) {
        if (!isInCategory(recorded, "modelBundles")) continue;
        if (recorded.revision <= next) take(recorded);
        // An earlier event is missing: read it. A failure is retried by the next look-up.
        else void refresh().catch(() => {});
      }
    },
    refresh,
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}
