import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { guardDirectory } from "./directory-lock.ts";
import { type EventStore, type EventStoreOptions, listenOn } from "./event-store-server.ts";

/** What `event-store-worker.js` posts. */
type WorkerMessage =
  | { readonly kind: "listening"; readonly port: number; readonly connectionString: string }
  | { readonly kind: "failed"; readonly message: string };

/**
 * Starts the embedded event store in a worker thread, so that it and the rest of the process do not block each other.
 * Rejects with `DirectoryInUse` while another process uses the directory. `onFailure` is called when the thread dies
 * later; without it the process ends, as it cannot work without its log.
 */
export async function startEmbeddedEventStore(
  options: EventStoreOptions,
  onFailure: (error: Error) => void = endProcess,
): Promise<EventStore> {
  const release = guardDirectory(options.directory);
  const worker = new Worker(new URL("./event-store-worker.js", import.meta.url), { workerData: options });
  const gone = once(worker, "exit").finally(release);
  try {
    const { port, connectionString } = await listening(worker);
    let closing = false;
    worker.on("error", onFailure);
    worker.on("exit", (code) => {
      if (!closing) onFailure(new Error(`the event store's thread ended with code ${code}`));
    });
    const close = async () => {
      closing = true;
      worker.postMessage("close");
      await gone;
    };
    return { port, connectionString, close };
  } catch (error) {
    await worker.terminate();
    await gone;
    throw error;
  }
}

/** Starts the embedded event store in this thread, for a process that does nothing else. */
export async function openEventStore(options: EventStoreOptions): Promise<EventStore> {
  const release = guardDirectory(options.directory);
  try {
    const store = await listenOn(options);
    return { ...store, close: () => store.close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function listening(worker: Worker): Promise<Extract<WorkerMessage, { kind: "listening" }>> {
  const [message] = (await once(worker, "message")) as [WorkerMessage];
  if (message.kind === "failed") throw new Error(message.message);
  return message;
}

function endProcess(error: Error): never {
  throw error;
}
