import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { constants, setPriority } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** An HTTP server that counts requests and responds with 204. */
export interface CountingReceiver {
  readonly url: string;
  /** Requests so far. */
  received(): number;
  close(): Promise<void>;
}

/**
 * Starts a receiver in its own thread, at the lowest priority, so that it does not delay the measured processes: it
 * stands for another machine.
 */
export async function startCountingReceiver(): Promise<CountingReceiver> {
  const count = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(new URL(import.meta.url), { workerData: count });
  const [port] = (await once(worker, "message")) as [number];
  return {
    url: `http://127.0.0.1:${port}/`,
    received: () => Atomics.load(count, 0),
    close: async () => {
      await worker.terminate();
    },
  };
}

if (!isMainThread) {
  if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);
  const count = workerData as Int32Array;
  const server = createServer((request, response) => {
    Atomics.add(count, 0, 1);
    request.resume().on("end", () => response.writeHead(204).end());
  });
  server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
}
