import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { DataDirectoryUnusable } from "../data-directory/data-directory.ts";
import { type Lock, takeLock } from "../data-directory/lock.ts";
import { type EventStore, type EventStoreOptions, listenOn } from "./event-store-server.ts";
import { makeStoreWhole } from "./maintenance/store-file.ts";

const workerModule = new URL("./event-store-worker.js", import.meta.url);

/** Messages of the worker. */
export type WorkerMessage =
  | { readonly kind: "listening"; readonly port: number; readonly connectionString: string }
  | {
      readonly kind: "failed";
      readonly message: string;
      /** Whether it is a `DataDirectoryUnusable`. */
      readonly isUnusable: boolean;
      readonly ofSystem: SystemFailure;
    };

/** Properties of a failed system call, which an error loses between threads; empty for other failures. */
type SystemFailure = Pick<NodeJS.ErrnoException, "code" | "syscall" | "path">;

/**
 * Starts the embedded event store in a worker thread, so that it and the rest of the process do not block each other.
 * Rejects with `Locked` while the directory is in use, with `DataDirectoryUnusable` when its file was cut short or has
 * another format.
 * `onFailure` is called once when the thread ends later; by default the process exits, as it cannot work without its log.
 * @param program of the thread, by default the store's
 */
export async function startEmbeddedEventStore(
  options: EventStoreOptions,
  onFailure: (error: Error) => void = endProcess,
  program = workerModule,
): Promise<EventStore> {
  const lock = await lockDirectory(options.directory);
  const worker = new Worker(program, { workerData: options });
  // `events.once` would reject with the failure that ends the thread, which `onFailure` gets.
  const exit = new Promise<void>((resolve) => worker.once("exit", () => resolve())).finally(lock.release);
  try {
    const { port, connectionString } = await listening(worker);
    let isOver = false;
    const fail = (error: Error): void => {
      if (!isOver) onFailure(error);
      isOver = true;
    };
    worker.on("error", fail);
    worker.on("exit", (code) => fail(new Error(`the event store's thread ended with code ${code}`)));
    const close = async () => {
      isOver = true;
      worker.postMessage("close");
      await exit;
    };
    return { port, connectionString, close };
  } catch (error) {
    await worker.terminate();
    await exit;
    throw error;
  }
}

/** Starts the embedded event store in this thread, for a process that does nothing else. */
export async function openEventStoreInThisThread(options: EventStoreOptions): Promise<EventStore> {
  const lock = await lockDirectory(options.directory);
  try {
    const store = await listenOn(options);
    return { ...store, close: () => store.close().finally(lock.release) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function lockDirectory(directory: string): Promise<Lock> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await takeLock(join(directory, "event-store.lock"));
  try {
    await makeStoreWhole(directory);
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function listening(worker: Worker): Promise<Extract<WorkerMessage, { kind: "listening" }>> {
  const [message] = (await once(worker, "message")) as [WorkerMessage];
  if (message.kind === "listening") return message;
  if (message.isUnusable) throw new DataDirectoryUnusable(message.message);
  throw Object.assign(new Error(message.message), message.ofSystem);
}

function endProcess(error: Error): never {
  throw error;
}
