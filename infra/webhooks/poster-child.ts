import { constants, setPriority } from "node:os";
import { createPoster } from "./post.ts";
import type { FromPoster, ToPoster } from "./poster-process.ts";

/** Results are sent together: each message takes time from the redirects that the other process serves. */
const reportIntervalMs = 20;

// Everything else on the machine goes first.
setPriority(constants.priority.PRIORITY_LOW);

// It ends with its parent, which may still send requests after a signal to the whole process group.
process.on("disconnect", () => process.exit());
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);

const poster = createPoster({ allowsPrivate: process.argv.includes("--allows-private") });
const running = new Map<number, AbortController>();
let results: FromPoster[] = [];

function report(result: FromPoster): void {
  results.push(result);
  if (results.length > 1) return;
  setTimeout(() => {
    process.send?.(results);
    results = [];
  }, reportIntervalMs);
}

async function send({ id, url, headers, body }: Extract<ToPoster, { readonly kind: "post" }>): Promise<void> {
  const abort = new AbortController();
  running.set(id, abort);
  try {
    report({ id, result: await poster.post(url, headers, body, abort.signal) });
  } catch (failure) {
    // Nobody waits for an aborted request.
    if (!abort.signal.aborted) throw failure;
  } finally {
    running.delete(id);
  }
}

process.on("message", (messages: readonly ToPoster[]) => {
  for (const message of messages) {
    if (message.kind === "post") void send(message);
    else running.get(message.id)?.abort();
  }
});
