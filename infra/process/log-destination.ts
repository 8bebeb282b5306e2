import { write, writeSync } from "node:fs";
import type { DestinationStream } from "pino";

/** Where a logger writes its lines. */
export interface LogDestination extends DestinationStream {
  /** Writes at once what waits, because the process ends; drops what cannot be written. */
  flushSync(): void;
}

const retryMs = 100;
/** Maximum attempts in a row of `flushSync` to write to a full pipe. */
const maxFlushAttempts = 20;
const noBytes: Buffer = Buffer.alloc(0);

/**
 * Writes lines to a file descriptor in the background, and the last ones when the process exits. While it cannot be written,
 * as on a full disk, the newest lines wait, of up to `maxWaitingBytes` besides those of the write in progress; older ones are
 * dropped, and a line says how many. Never throws. (Pino's own destination never returns from `flushSync` on a full disk.)
 */
export function openLogDestination(fd: number, maxWaitingBytes: number): LogDestination {
  let lines: string[] = [];
  /** Being written in the background, or to be tried again. */
  let unwritten: Buffer = noBytes;
  let waitingBytes = 0;
  let dropped = 0;
  let state: "idle" | "scheduled" | "writing" = "idle";
  let isFlushedOnExit = false;

  const takeLines = (): Buffer => {
    const note = dropped === 0 ? "" : `${JSON.stringify({ level: 40, msg: "log lines were dropped", dropped })}\n`;
    const taken = Buffer.from(note + lines.join(""));
    lines = [];
    waitingBytes = 0;
    dropped = 0;
    return taken;
  };
  const writeNext = (): void => {
    state = "idle";
    if (unwritten.length === 0) unwritten = takeLines();
    if (unwritten.length === 0) return;
    state = "writing";
    write(fd, unwritten, (failure, bytes) => {
      if (failure !== null) {
        state = "scheduled";
        setTimeout(writeNext, retryMs).unref();
        return;
      }
      unwritten = unwritten.subarray(bytes);
      writeNext();
    });
  };
  const flushSync = (): void => {
    // The write in progress is left to finish; when the process exits, what it does not write is lost.
    const inBackground = state === "writing" ? unwritten : noBytes;
    let rest = Buffer.concat([state === "writing" ? noBytes : unwritten, takeLines()]);
    unwritten = inBackground;
    for (let attempt = 1; rest.length > 0 && attempt <= maxFlushAttempts; attempt += 1) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
        attempt = 0;
      } catch (failure) {
        if ((failure as NodeJS.ErrnoException).code !== "EAGAIN") return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
      }
    }
  };
  return {
    write: (line) => {
      if (!isFlushedOnExit) process.once("exit", flushSync);
      isFlushedOnExit = true;
      lines.push(line);
      waitingBytes += Buffer.byteLength(line);
      for (; waitingBytes > maxWaitingBytes && lines.length > 1; dropped += 1) {
        waitingBytes -= Buffer.byteLength(lines.shift() ?? "");
      }
      if (state !== "idle") return;
      state = "scheduled";
      setImmediate(writeNext);
    },
    flushSync,
  };
}
