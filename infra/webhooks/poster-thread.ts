import { Worker, type WorkerOptions } from "node:worker_threads";
import type { AttemptResult } from "../../domain/webhooks/retries.ts";
import type { Poster, PosterOptions } from "./post.ts";

export type ToPoster =
  | {
      readonly kind: "post";
      readonly id: number;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: "abort"; readonly id: number };

export interface FromPoster {
  readonly id: number;
  readonly result: AttemptResult;
}

interface Waiting {
  readonly resolve: (result: AttemptResult) => void;
  readonly reject: (failure: unknown) => void;
}

/**
 * Options of the worker. The flags of `npm start` would give it 96 MB for what is garbage after each request. An
 * OpenTelemetry SDK is not loaded: its instrumentation of HTTP would replace the trace that a request belongs to.
 */
const settings = (): WorkerOptions => ({
  resourceLimits: { maxYoungGenerationSizeMb: 8 },
  execArgv: [],
  env: { ...process.env, NODE_OPTIONS: "" },
});

/** A thread, and its requests without a result. */
interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
  /** Messages that are sent together at the end of the turn of the event loop. */
  outgoing: ToPoster[];
}

const workerModule = new URL("./poster-worker.js", import.meta.url);

/**
 * A poster in a thread of its own: the system calls of hundreds of requests a second would delay the redirects that this
 * process serves. The thread starts with the first request. When it ends, its requests reject, and the next one starts
 * another.
 * @param module of the worker; by default the poster's
 */
export function createPosterThread(options: Pick<PosterOptions, "allowsPrivate">, module = workerModule): Poster {
  let current: Thread | null = null;
  let lastId = 0;

  const start = (): Thread => {
    const worker = new Worker(module, { workerData: options, ...settings() });
    const thread: Thread = { worker, waiting: new Map(), outgoing: [] };
    worker.on("message", (results: readonly FromPoster[]) => {
      for (const { id, result } of results) thread.waiting.get(id)?.resolve(result);
    });
    let cause: unknown;
    worker.on("error", (failure) => {
      cause = failure;
    });
    worker.on("exit", () => {
      if (current === thread) current = null;
      const failure = new Error("The thread that sends webhooks has ended", { cause });
      for (const { reject } of thread.waiting.values()) reject(failure);
    });
    return thread;
  };

  const tell = (thread: Thread, message: ToPoster): void => {
    thread.outgoing.push(message);
    if (thread.outgoing.length > 1) return;
    setImmediate(() => {
      thread.worker.postMessage(thread.outgoing);
      thread.outgoing = [];
    });
  };

  return {
    post: async (url, headers, body, signal) => {
      signal.throwIfAborted();
      current ??= start();
      const thread = current;
      const id = ++lastId;
      // A signal of its own: Node.js warns of a signal that many requests listen to.
      const aborted = AbortSignal.any([signal]);
      const abort = (): void => {
        tell(thread, { kind: "abort", id });
        thread.waiting.get(id)?.reject(signal.reason);
      };
      aborted.addEventListener("abort", abort, { once: true });
      try {
        return await new Promise<AttemptResult>((resolve, reject) => {
          thread.waiting.set(id, { resolve, reject });
          tell(thread, { kind: "post", id, url, headers, body });
        });
      } finally {
        thread.waiting.delete(id);
        aborted.removeEventListener("abort", abort);
      }
    },
    close: () => {
      void current?.worker.terminate();
    },
  };
}
