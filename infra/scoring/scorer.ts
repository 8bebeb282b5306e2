import type { ModelName } from "../../domain/prediction/events.ts";
import { modelNames } from "../../domain/prediction/manifest.ts";
import {
  type CachedBundle,
  createLoadedBundles,
  type LoadedBundles,
  type ReadModelFile,
  type ScoredBundle,
} from "./loaded-bundles.ts";
import { ScorerEnded, ScorerUnavailable } from "./scorer-process.ts";
import { type SupervisedProcess, superviseProcess } from "./supervised-process.ts";

/** The output of both models for one row: float32 from 0 to 1. */
export type Scores = { readonly [name in ModelName]: number };

export interface Scorer {
  /**
   * Loads both models of a bundle and runs each once; returns at once when they are loaded. The bundles used last stay
   * loaded, up to {@link ScorerOptions.maxModelBytes}.
   * @throws {ScorerUnavailable} and what `readModelFile` throws
   */
  load(bundle: ScoredBundle, readModelFile: ReadModelFile): Promise<void>;
  /**
   * Both probabilities of each vector, from a loaded bundle; after a restart of the process it is loaded again.
   * @throws {BundleNotLoaded}
   * @throws {ScorerUnavailable} when too many calls are pending, or `deadlineMs` have passed
   * @throws {ScoreInvalid} when a model fails on a vector, or its output is not a probability
   */
  score(bundleId: string, vectors: readonly Float32Array[], deadlineMs: number): Promise<readonly Scores[]>;
  close(): Promise<void>;
}

/** The bundle was never loaded, or too many others were used since. */
export class BundleNotLoaded extends ScorerUnavailable {
  override readonly name = "BundleNotLoaded";
}

/** The output of a model is not a probability. */
export class ScoreInvalid extends Error {
  override readonly name = "ScoreInvalid";
}

export interface ScorerOptions {
  /** Called when the process ends although the scorer is not closed. */
  onTrouble(failure: Error): void;
  /** Bytes of the files of loaded models, of which each bundle counts at least 1 MiB (default 512 MiB). */
  readonly maxModelBytes?: number;
}

/** Maximum pending calls. */
const maxOpenJobs = 1_024;
const maxBatchJobs = 256;

interface Job {
  readonly known: CachedBundle;
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
export function createScorer({ onTrouble, maxModelBytes }: ScorerOptions): Scorer {
  const process = superviseProcess((failure) => {
    onTrouble(failure);
    batches.restart();
  });
  const bundles = createLoadedBundles(process, maxModelBytes);
  const batches = createBatches(process, bundles);
  let openJobs = 0;

  return {
    load: async (bundle, readModelFile) => {
      if (process.isClosed()) throw new ScorerUnavailable("The scorer is closed");
      const known = bundles.add(bundle, readModelFile);
      if (!bundles.isLoaded(known)) await bundles.load(known);
    },
    score: (bundleId, vectors, deadlineMs) =>
      new Promise((resolve, reject) => {
        const known = bundles.find(bundleId);
        if (known === undefined) throw new BundleNotLoaded(`Bundle ${bundleId} is not loaded`);
        if (vectors.some(({ length }) => length !== known.bundle.features.length)) {
          throw new RangeError(`Bundle ${bundleId} takes ${known.bundle.features.length} features`);
        }
        if (openJobs >= maxOpenJobs) throw new ScorerUnavailable("Too many calls wait for their scores");
        openJobs += 1;
        known.openJobs += 1;
        const job: Job = {
          known,
          vectors,
          deadlineMs,
          isOver: false,
          isRepeated: false,
          finish: (outcome) => {
            if (job.isOver) return;
            job.isOver = true;
            openJobs -= 1;
            known.openJobs -= 1;
            bundles.dropUnused(known);
            clearTimeout(tooLate);
            if (outcome instanceof Error) reject(outcome);
            else resolve(outcome);
          },
        };
        const tooLate = setTimeout(() => job.finish(new ScorerUnavailable("Scoring takes too long")), deadlineMs);
        batches.enqueue(job);
      }),
    close: async () => {
      bundles.clear();
      await process.close();
    },
  };
}

interface Batches {
  /** Puts a job into the next batch, once its bundle is loaded. */
  enqueue(job: Job): void;
  /** Enqueues the waiting jobs again, after the process has ended. */
  restart(): void;
}

function createBatches(supervised: SupervisedProcess, bundles: LoadedBundles): Batches {
  let waiting: Job[] = [];
  let isBusy = false;

  const enqueue = (job: Job): void => {
    if (job.isOver) return;
    if (bundles.isLoaded(job.known)) {
      waiting.push(job);
      // Calls of the same turn share a message, which costs far more than a row.
      if (waiting.length === 1) setImmediate(sendBatch);
    } else bundles.load(job.known).then(() => enqueue(job), job.finish);
  };

  const sendBatch = (): void => {
    const process = supervised.current();
    if (isBusy || process === null) return;
    waiting = waiting.filter((job) => !job.isOver);
    const batch = waiting.splice(0, maxBatchJobs);
    if (batch.length === 0) return;
    isBusy = true;
    const limitMs = Math.max(...batch.map(({ deadlineMs }) => deadlineMs));
    const endIfLate = (): NodeJS.Timeout =>
      setTimeout(() => {
        if (bundles.isLoading()) late = endIfLate();
        else process.kill();
      }, limitMs);
    let late = endIfLate();
    const jobs = batch.map(({ known, vectors }) => ({ bundleId: known.bundle.bundleId, rows: joined(vectors) }));
    process
      .request<readonly (Float32Array | null)[]>("score", { jobs })
      .then(
        (results) => {
          supervised.noteSuccess();
          for (const [index, job] of batch.entries()) {
            const result = results[index] ?? null;
            // The process had dropped the bundle: the next call loads it again.
            if (result === null && job.known.loadedIn === process) job.known.loadedIn = null;
            job.finish(scoresOf(result));
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
        if (supervised.current() !== process) return;
        isBusy = false;
        sendBatch();
      });
  };

  return {
    enqueue,
    restart: () => {
      isBusy = false;
      const lost = waiting;
      waiting = [];
      for (const job of lost) enqueue(job);
    },
  };
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
