import { setTimeout as pause } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { backoffMs } from "../../domain/backoff.ts";
import type { ModelBundle, ModelName } from "../../domain/prediction/events.ts";
import { modelNames } from "../../domain/prediction/manifest.ts";
import { ScorerEnded, type ScorerProcess, ScorerUnavailable, startScorerProcess } from "./scorer-process.ts";

export { ScorerUnavailable } from "./scorer-process.ts";

/** The output of both models for one row: float32 from 0 to 1. */
export type Scores = { readonly [name in ModelName]: number };

export type ScoredBundle = Pick<ModelBundle, "bundleId" | "features" | "models">;

/** The bytes of a model's file by their SHA-256, hex. */
export type ReadModelFile = (sha256: string) => Promise<Uint8Array>;

export interface Scorer {
  /**
   * Loads both models of a bundle and runs each once; returns at once when they are loaded. The 16 bundles used last stay
   * loaded.
   * @throws {ScorerUnavailable} and what `readModelFile` throws
   */
  warm(bundle: ScoredBundle, readModelFile: ReadModelFile): Promise<void>;
  /**
   * Both probabilities of each vector, from a warm bundle; after a restart of the process it is loaded again.
   * @throws {BundleNotWarm}
   * @throws {ScorerUnavailable} when too many calls are pending, or `deadlineMs` have passed
   * @throws {ScoreInvalid} when a model fails on a vector, or its output is not a probability
   */
  score(bundleId: string, vectors: readonly Float32Array[], deadlineMs: number): Promise<readonly Scores[]>;
  close(): Promise<void>;
}

/** The bundle was never warmed, or 16 others were used since. */
export class BundleNotWarm extends ScorerUnavailable {
  override readonly name = "BundleNotWarm";
}

/** The output of a model is not a probability. */
export class ScoreInvalid extends Error {
  override readonly name = "ScoreInvalid";
}

export interface ScorerOptions {
  /** Called when the process ends although the scorer is not closed. */
  onTrouble(failure: Error): void;
}

const maxBundles = 16;
/** Maximum pending calls. */
const maxOpenJobs = 1_024;
const maxBatchJobs = 256;
/** Maximum time to load a bundle, including the start of the process. */
const loadLimitMs = 10_000;
/** Before the second start in a row; doubled by each further one. */
const initialBackoffMs = 100;
const maxBackoffMs = 5_000;

interface WarmBundle {
  readonly bundle: ScoredBundle;
  readonly readModelFile: ReadModelFile;
  /** The process that has loaded its models. */
  loadedIn: ScorerProcess | null;
  loading: Promise<void> | null;
  /** Pending jobs; the models stay loaded until there are none. */
  openJobs: number;
}

interface Job {
  readonly warm: WarmBundle;
  readonly vectors: readonly Float32Array[];
  readonly deadlineMs: number;
  isOver: boolean;
  /** Whether the process ended while the job was in flight: it may be the cause, and is retried only once. */
  isRepeated: boolean;
  finish(outcome: readonly Scores[] | Error): void;
}

/**
 * Scores in a separate process, so that no model can block or crash this one. Calls that arrive while a batch is in flight
 * form the next one. A batch that takes longer than the deadlines of its calls ends the process; the next call starts
 * another one, with backoff.
 */
export function createScorer({ onTrouble }: ScorerOptions): Scorer {
  let child: ScorerProcess | null = null;
  let starting: Promise<ScorerProcess> | null = null;
  let isClosed = false;
  /** Ends of the process since the last scored batch. */
  let failures = 0;
  let restartAt = 0;
  let loads = 0;
  let waiting: Job[] = [];
  let openJobs = 0;
  let isBusy = false;
  const bundles = new LRUCache<string, WarmBundle>({
    max: maxBundles,
    dispose: (warm) => dropUnused(warm),
  });
  /** Drops the models of a bundle that left the cache and has no pending jobs. */
  const dropUnused = ({ bundle: { bundleId }, loadedIn, openJobs: left }: WarmBundle): void => {
    if (left === 0 && !bundles.has(bundleId)) loadedIn?.request("drop", { bundleId }).catch(() => {});
  };

  const start = async (): Promise<ScorerProcess> => {
    const delay = restartAt - Date.now();
    if (delay > 0) await pause(delay);
    if (isClosed) throw new ScorerUnavailable("The scorer is closed");
    const started = startScorerProcess();
    child = started;
    void started.ended.then((how) => {
      child = null;
      isBusy = false;
      if (isClosed) return;
      failures += 1;
      const backoff = failures === 1 ? 0 : backoffMs(failures - 1, initialBackoffMs, maxBackoffMs);
      restartAt = Date.now() + backoff;
      onTrouble(new ScorerUnavailable(`The scorer ${how}`));
      const lost = waiting;
      waiting = [];
      for (const job of lost) enqueue(job);
    });
    return started;
  };
  const running = async (): Promise<ScorerProcess> => {
    if (child !== null) return child;
    starting ??= start().finally(() => {
      starting = null;
    });
    return starting;
  };

  const loadInto = async (warm: WarmBundle): Promise<void> => {
    const { bundle, readModelFile } = warm;
    const { bundleId, features, models } = bundle;
    const [purchase, churn] = await Promise.all([
      readModelFile(models.d3_purchase.sha256),
      readModelFile(models.d3_churn.sha256),
    ]);
    const process = await running();
    const sent = {
      d3_purchase: { ...tensorsOf(models.d3_purchase), bytes: purchase },
      d3_churn: { ...tensorsOf(models.d3_churn), bytes: churn },
    };
    loads += 1;
    const tooLate = setTimeout(process.kill, loadLimitMs);
    try {
      await process.request("load", { bundleId, width: features.length, models: sent });
      warm.loadedIn = process;
      dropUnused(warm);
    } finally {
      clearTimeout(tooLate);
      loads -= 1;
    }
  };
  const load = (warm: WarmBundle): Promise<void> => {
    warm.loading ??= loadInto(warm).finally(() => {
      warm.loading = null;
    });
    return warm.loading;
  };
  const isLoaded = ({ loadedIn }: WarmBundle): boolean => loadedIn !== null && loadedIn === child;

  /** Puts a job into the next batch, once its bundle is loaded. */
  const enqueue = (job: Job): void => {
    if (job.isOver) return;
    if (isLoaded(job.warm)) {
      waiting.push(job);
      // Calls of the same turn share a message, which costs far more than a row.
      if (waiting.length === 1) setImmediate(sendBatch);
    } else load(job.warm).then(() => enqueue(job), job.finish);
  };

  const sendBatch = (): void => {
    const process = child;
    if (isBusy || process === null) return;
    const batch = waiting.splice(0, maxBatchJobs).filter((job) => !job.isOver);
    if (batch.length === 0) return;
    isBusy = true;
    const limitMs = Math.max(...batch.map(({ deadlineMs }) => deadlineMs));
    // While it loads a bundle the process does not score.
    const endIfLate = (): NodeJS.Timeout =>
      setTimeout(() => {
        if (loads === 0) process.kill();
        else late = endIfLate();
      }, limitMs);
    let late = endIfLate();
    const jobs = batch.map(({ warm, vectors }) => ({ bundleId: warm.bundle.bundleId, rows: joined(vectors) }));
    process
      .request<readonly (Float32Array | null)[]>("score", { jobs })
      .then(
        (answers) => {
          failures = 0;
          for (const [index, job] of batch.entries()) {
            const answer = answers[index] ?? null;
            // The process had dropped the bundle: the next call loads it again.
            if (answer === null && job.warm.loadedIn === process) job.warm.loadedIn = null;
            job.finish(scoresOf(answer));
          }
        },
        (failure) => {
          for (const job of batch) {
            if (failure instanceof ScorerEnded && !job.isRepeated) {
              job.isRepeated = true;
              enqueue(job);
            } else job.finish(failure);
          }
        },
      )
      .finally(() => {
        clearTimeout(late);
        if (child !== process) return;
        isBusy = false;
        sendBatch();
      });
  };

  return {
    warm: async (bundle, readModelFile) => {
      if (isClosed) throw new ScorerUnavailable("The scorer is closed");
      let warm = bundles.get(bundle.bundleId);
      if (warm === undefined) {
        warm = { bundle, readModelFile, loadedIn: null, loading: null, openJobs: 0 };
        bundles.set(bundle.bundleId, warm);
      }
      if (!isLoaded(warm)) await load(warm);
    },
    score: (bundleId, vectors, deadlineMs) =>
      new Promise((resolve, reject) => {
        const warm = bundles.get(bundleId);
        if (warm === undefined || isClosed) throw new BundleNotWarm(`Bundle ${bundleId} is not warm`);
        if (vectors.some(({ length }) => length !== warm.bundle.features.length)) {
          throw new RangeError(`Bundle ${bundleId} takes ${warm.bundle.features.length} features`);
        }
        if (openJobs >= maxOpenJobs) throw new ScorerUnavailable("Too many calls wait for their scores");
        openJobs += 1;
        warm.openJobs += 1;
        const job: Job = {
          warm,
          vectors,
          deadlineMs,
          isOver: false,
          isRepeated: false,
          finish: (outcome) => {
            if (job.isOver) return;
            job.isOver = true;
            openJobs -= 1;
            warm.openJobs -= 1;
            dropUnused(warm);
            clearTimeout(tooLate);
            if (outcome instanceof Error) reject(outcome);
            else resolve(outcome);
          },
        };
        const tooLate = setTimeout(() => job.finish(new ScorerUnavailable("Scoring takes too long")), deadlineMs);
        enqueue(job);
      }),
    close: async () => {
      isClosed = true;
      bundles.clear();
      await starting?.catch(() => {});
      const last = child;
      last?.kill();
      await last?.ended;
    },
  };
}

function tensorsOf({ input, output }: ScoredBundle["models"][ModelName]): { input: string; output: string } {
  return { input, output };
}

function joined(vectors: readonly Float32Array[]): Float32Array {
  const [first] = vectors;
  if (vectors.length === 1 && first !== undefined) return first;
  const rows = new Float32Array(vectors.reduce((length, vector) => length + vector.length, 0));
  let at = 0;
  for (const vector of vectors) {
    rows.set(vector, at);
    at += vector.length;
  }
  return rows;
}

/** @param probabilities of both models in turn, row by row; null: the bundle was not loaded */
function scoresOf(probabilities: Float32Array | null): readonly Scores[] | Error {
  if (probabilities === null) return new ScorerUnavailable("The bundle is no longer loaded");
  if (!probabilities.every((probability) => probability >= 0 && probability <= 1)) {
    return new ScoreInvalid("The output of a model is not a probability");
  }
  const scores: Scores[] = [];
  for (let at = 0; at < probabilities.length; at += modelNames.length) {
    // A record in the log is JSON, which has no -0: adding 0 makes it 0.
    const [purchase, churn] = [probabilities[at], probabilities[at + 1]];
    scores.push({ d3_purchase: (purchase ?? Number.NaN) + 0, d3_churn: (churn ?? Number.NaN) + 0 });
  }
  return scores;
}
