import { LRUCache } from "lru-cache";
import type { ModelBundle, ModelName } from "../../domain/prediction/events.ts";
import type { ScorerProcess } from "./scorer-process.ts";
import type { SupervisedProcess } from "./supervised-process.ts";

export type ScoredBundle = Pick<ModelBundle, "bundleId" | "features" | "models">;

/** The bytes of a model's file by their SHA-256, hex. */
export type ReadModelFile = (sha256: string) => Promise<Uint8Array>;

/** A bundle whose models are loaded, or are loaded again when they are needed. */
export interface CachedBundle {
  readonly bundle: ScoredBundle;
  readonly readModelFile: ReadModelFile;
  /** The process that has loaded its models. */
  loadedIn: ScorerProcess | null;
  loading: Promise<void> | null;
  /** Pending jobs; the models stay loaded until there are none. */
  openJobs: number;
}

/** The bundles used last, as many as the limit allows. */
export interface LoadedBundles {
  find(bundleId: string): CachedBundle | undefined;
  /** The bundle, known or new; a new one is not loaded. */
  add(bundle: ScoredBundle, readModelFile: ReadModelFile): CachedBundle;
  isLoaded(known: CachedBundle): boolean;
  /** Loads a bundle's models and runs each once. */
  load(known: CachedBundle): Promise<void>;
  /** Whether the process loads a bundle; meanwhile it does not score. */
  isLoading(): boolean;
  /** Drops the models of a bundle that was evicted and has no pending jobs. */
  dropUnused(known: CachedBundle): void;
  clear(): void;
}

const defaultMaxBytes = 512 * 1024 * 1024;
/** What a bundle counts at least: loaded models take more than their files. */
const minBytes = 1024 * 1024;
/** Maximum time to load a bundle, including the start of the process. */
const loadLimitMs = 10_000;

/** @param maxBytes of the files of loaded models; each bundle counts at least 1 MiB */
export function createLoadedBundles(
  { current, running }: SupervisedProcess,
  maxBytes = defaultMaxBytes,
): LoadedBundles {
  let loads = 0;
  const bundles = new LRUCache<string, CachedBundle>({
    maxSize: maxBytes,
    disposeAfter: (known) => dropUnused(known),
  });
  const dropUnused = ({ bundle: { bundleId }, loadedIn, openJobs }: CachedBundle): void => {
    if (openJobs === 0 && !bundles.has(bundleId)) loadedIn?.request("drop", { bundleId }).catch(() => {});
  };

  const loadNow = async (known: CachedBundle): Promise<void> => {
    const { bundle, readModelFile } = known;
    const { bundleId, features, models } = bundle;
    const [purchase, churn] = await Promise.all([
      readModelFile(models.d3_purchase.sha256),
      readModelFile(models.d3_churn.sha256),
    ]);
    const size = Math.max(minBytes, purchase.length + churn.length);
    // The cache keeps the size of a value that is set again.
    if (bundles.peek(bundleId) === known && bundles.delete(bundleId)) bundles.set(bundleId, known, { size });
    const process = await running();
    const modelFiles = {
      d3_purchase: { ...tensorsOf(models.d3_purchase), bytes: purchase },
      d3_churn: { ...tensorsOf(models.d3_churn), bytes: churn },
    };
    loads += 1;
    const tooLate = setTimeout(process.kill, loadLimitMs);
    try {
      await process.request("load", { bundleId, width: features.length, models: modelFiles });
      known.loadedIn = process;
      dropUnused(known);
    } finally {
      clearTimeout(tooLate);
      loads -= 1;
    }
  };

  return {
    find: (bundleId) => bundles.get(bundleId),
    add: (bundle, readModelFile) => {
      const known = bundles.get(bundle.bundleId);
      if (known !== undefined) return known;
      const added = { bundle, readModelFile, loadedIn: null, loading: null, openJobs: 0 };
      bundles.set(bundle.bundleId, added, { size: minBytes });
      return added;
    },
    isLoaded: ({ loadedIn }) => loadedIn !== null && loadedIn === current(),
    load: (known) => {
      known.loading ??= loadNow(known).finally(() => {
        known.loading = null;
      });
      return known.loading;
    },
    isLoading: () => loads > 0,
    dropUnused,
    clear: () => bundles.clear(),
  };
}

function tensorsOf({ input, output }: ScoredBundle["models"][ModelName]): { input: string; output: string } {
  return { input, output };
}
