import { parentPort, workerData } from "node:worker_threads";
import { logVerbosity, setLogVerbosity } from "@grpc/grpc-js";
import type { WorkerMessage } from "./event-store.ts";
import { type EventStoreOptions, listenOn } from "./event-store-server.ts";

const port = parentPort;
if (!port) throw new Error("this module runs in a worker thread");
// What goes wrong is told to the parent; gRPC would print it as well.
setLogVerbosity(logVerbosity.NONE);
const tell = (message: WorkerMessage) => port.postMessage(message);

try {
  const store = await listenOn(workerData as EventStoreOptions);
  tell({ kind: "listening", port: store.port, connectionString: store.connectionString });
  port.once("message", () => store.close());
} catch (error) {
  tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
}
