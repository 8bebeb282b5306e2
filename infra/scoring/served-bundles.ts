import type { ModelBundle } from "../../domain/prediction/events.ts";

/** Which bundles the log says are active: of apps by their ids, and under null of all apps without one of their own. */
export type ActiveBundles = ReadonlyMap<number | null, ModelBundle>;

export interface ServedBundles {
  /**
   * The bundle that answers for an app: its own or the default, once it is loaded; until then what answered before.
   * Null: nothing can answer yet.
   */
  servedBundle(appId: number): ModelBundle | null;
  /** Loads what has become active; resolves once all that could be loaded answers. */
  follow(): Promise<void>;
  close(): void;
}

export interface ServedBundlesDeps {
  readonly active: () => ActiveBundles;
  /** Loads a bundle's models and runs them once. */
  readonly warm: (bundle: ModelBundle) => Promise<void>;
  readonly failed: (failure: unknown, bundleId: string) => void;
  /** How long after a failure it is tried again, in milliseconds. */
  readonly retryMs?: number;
}

/**
 * The bundles that calls are answered with (contract/prediction.md#bundles): an activation counts from when its models
 * are loaded and have run, all at once. One that cannot be loaded is tried again, and leaves the former in its place.
 */
export function createServedBundles({ active, warm, failed, retryMs = 2_000 }: ServedBundlesDeps): ServedBundles {
  const served = new Map<number | null, ModelBundle>();
  let running: Promise<void> | null = null;
  let mustRunAgain = false;
  let retry: NodeJS.Timeout | null = null;
  let isClosed = false;

  const load = async (target: number | null, bundle: ModelBundle): Promise<void> => {
    try {
      await warm(bundle);
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
        if (served.get(target)?.bundleId !== bundle.bundleId) await load(target, bundle);
      }
    } while (mustRunAgain && !isClosed);
  };
  const follow = (): Promise<void> => {
    mustRunAgain = true;
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  };

  return {
    servedBundle: (appId) => served.get(appId) ?? served.get(null) ?? null,
    follow,
    close: () => {
      isClosed = true;
      if (retry !== null) clearTimeout(retry);
    },
  };
}
