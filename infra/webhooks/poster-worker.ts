import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { createPoster } from "./post.ts";
import type { FromPoster, ToPoster } from "./poster-thread.ts";

// On Linux a thread has a priority of its own: what else the process does goes first.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);

const poster = createPoster(workerData);
const running = new Map<number, AbortController>();
let results: FromPoster[] = [];

function report(result: FromPoster): void {
  results.push(result);
  if (results.length > 1) return;
  setImmediate(() => {
    parentPort?.postMessage(results);
    results = [];
  });
}

async function send({ id, url, headers, body }: Extract<ToPoster, { readonly kind: "post" }>): Promise<void> {
  const abort = new AbortController();
  running.set(id, abort);
  try {
    report({ id, result: await poster.post(url, headers, body, abort.signal) });
  } catch (failure) {
    // Who has aborted it waits for nothing.
    if (!abort.signal.aborted) throw failure;
  } finally {
    running.delete(id);
  }
}

parentPort?.on("message", (messages: readonly ToPoster[]) => {
  for (const message of messages) {
    if (message.kind === "post") void send(message);
    else running.get(message.id)?.abort();
  }
});
