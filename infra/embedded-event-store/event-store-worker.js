// Plain JavaScript: a worker thread starts without the loader that lets the rest of the application be TypeScript.
import { parentPort, workerData } from "node:worker_threads";
import { logVerbosity, setLogVerbosity } from "@grpc/grpc-js";
import { register } from "tsx/esm/api";

register();
// Failures are reported to the parent; gRPC would print them as well.
setLogVerbosity(logVerbosity.NONE);
try {
  const { listenOn } = await import("./event-store-server.ts");
  const store = await listenOn(workerData);
  parentPort.postMessage({ kind: "listening", port: store.port, connectionString: store.connectionString });
  parentPort.once("message", () => store.close());
} catch (error) {
  parentPort.postMessage({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
}
