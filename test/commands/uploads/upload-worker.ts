import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { uploadStream } from "../../../domain/streams.ts";
import { uploadId } from "../../examples/uploads.ts";
import type { Stores } from "../../projections/engine/stores.ts";

const pollMs = 20;

/** A worker process of its own that is ready to begin: send it how it is to be killed, or an empty list. */
export async function startWorker({ environment }: Stores): Promise<ChildProcess> {
  const program = fileURLToPath(new URL("./upload-worker-child.js", import.meta.url));
  const worker = fork(program, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await once(worker, "message");
  return worker;
}

/** The most memory that a worker ever had, in bytes. */
export async function peakMemory(worker: ChildProcess): Promise<number> {
  worker.send("peak memory");
  const [kilobytes] = await once(worker, "message");
  return Number(kilobytes) * 1024;
}

/** Types of the events of a succeeded upload, and when it succeeded. */
export async function succeeded(
  { log }: Stores,
  number: number,
  withinMs: number,
): Promise<{ readonly types: readonly string[]; readonly at: number }> {
  const stream = uploadStream(uploadId(number));
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    const [last] = await log.readBackwards(stream, 1);
    if (last?.type === "UploadSucceeded") {
      const types: string[] = [];
      for await (const { type } of log.read(stream)) types.push(type);
      return { types, at: last.recordedAt.getTime() };
    }
    await delay(pollMs);
  }
  throw new Error(`Upload ${number} did not succeed within ${withinMs} ms`);
}
