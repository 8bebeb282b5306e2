import { parentPort, workerData } from "node:worker_threads";
import { logVerbosity, setLogVerbosity } from "@grpc/grpc-js";
import { DataDirectoryUnusable } from "../data-directory/data-directory.ts";
import type { WorkerMessage } from "./event-store.ts";
import { listenOn } from "./event-store-server.ts";

/** How long a library, such as an SDK that sends its last spans to nobody, may keep the thread after the store is closed. */
const afterCloseMs = 1_000;

const post = (message: WorkerMessage): void => parentPort?.postMessage(message);

// Failures are reported to the parent; gRPC would print them as well.
setLogVerbosity(logVerbosity.NONE);
try {
  const { port, connectionString, close } = await listenOn(workerData);
  parentPort?.once("message", () => close().finally(() => setTimeout(() => process.exit(), afterCloseMs).unref()));
  post({ kind: "listening", port, connectionString });
} catch (error) {
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const ofSystem = syscall === undefined ? {} : { code, syscall, path };
  const isUnusable = error instanceof DataDirectoryUnusable;
  post({ kind: "failed", message: error instanceof Error ? error.message : String(error), isUnusable, ofSystem });
}
