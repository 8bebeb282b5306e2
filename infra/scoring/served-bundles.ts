import type { ModelBundle } from "../../domain/prediction/events.ts";

/** Active bundles by app id, and under null the one for all other apps. */
export type ActiveBundles = ReadonlyMap<number | null, ModelBundle>;

export interface ServedBundles {
  /**
   * The bundle that serves an app: its own or the default, once it is loaded; until then the previous one of this process.
   * Null: none is loaded yet. So an app that had its own bundle at the start is never served by the default.
   */
  servedBundle(appId: number): ModelBundle | null;
  /** Loads newly active bundles; resolves when all that can be loaded serve. */
  follow(): Promise<void>;
  close(): void;
}

export interface ServedBundlesDeps {
  readonly active: () => ActiveBundles;
  /** Loads a bundle's models and runs them once. */
  readonly load: (bundle: ModelBundle) => Promise<void>;
  readonly failed: (failure: unknown, bundleId: string) => void;
}

/** Pause before a retry after a failure. */
const retryMs = 2_000;

/**
 * The bundles that serve calls (contract/prediction.md#bundles): an activation takes effect when all of its models are
 * loaded and have run. Loading is retried; until it succeeds the previous bundle serves.
 */
export function createServedBundles({ active, load, failed }: ServedBundlesDeps): ServedBundles {
  const served = new Map<number | null, ModelBundle>();
  let targets: ReadonlySet<number | null> | null = null;
  /** Apps that the default served when their own bundle was activated. */
  const servedByDefault = new Set<number | null>();
  let running: Promise<void> | null = null;
  let mustRunAgain = false;
  let retry: NodeJS.Timeout | null = null;
  let isClosed = false;

  const serve = async (target: number | null, bundle: ModelBundle): Promise<void> => {
    try {
      await load(bundle);
      served.set(target, bundle);
    } catch (failure) {
      if (isClosed) return;
      failed(failure, bundle.bundleId);
      retry ??= setTimeout(() => {
        retry = null;
        void follow();
      }, retryMs);
    }
  };
  const run = async (): Promise<void> => {
    do {
      mustRunAgain = false;
      for (const [target, bundle] of active()) {
        if (served.get(target)?.bundleId !== bundle.bundleId) await serve(target, bundle);
      }
    } while (mustRunAgain && !isClosed);
  };
  const noteActivations = (): void => {
    const known = targets;
    targets = new Set(active().keys());
    for (const target of targets) if (known !== null && !known.has(target)) servedByDefault.add(target);
  };
  const follow = (): Promise<void> => {
    noteActivations();
    mustRunAgain = true;
    running ??= run().finally(() => {
      running = null;
      // A run without anything to serve has ended before a second call in the same turn.
      return mustRunAgain && !isClosed ? follow() : undefined;
    });
    return running;
  };

  return {
    servedBundle(appId) {
      const own = served.get(appId);
      const hasOwn = own !== undefined || (targets?.has(appId) === true && !servedByDefault.has(appId));
      return (hasOwn ? own : served.get(null)) ?? null;
    },
    follow,
    close: () => {
      isClosed = true;
      if (retry !== null) clearTimeout(retry);
    },
  };
}
