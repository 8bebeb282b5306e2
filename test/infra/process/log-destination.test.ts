import { execFile } from "node:child_process";
import { closeSync, constants, openSync, readSync, write, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openLogDestination } from "../../../infra/process/log-destination.ts";

const maxWaitingBytes = 100;
const writeInBackground = promisify<number, string, number>(write);

/** A pipe that is full until it is read. */
async function fullPipe() {
  const directory = await mkdtemp(join(tmpdir(), "touchledger-test-"));
  const path = join(directory, "pipe");
  await promisify(execFile)("mkfifo", [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  for (const size of [65_536, 1]) {
    try {
      for (;;) writeSync(fd, Buffer.alloc(size, "."));
    } catch (failure) {
      assert.is((failure as NodeJS.ErrnoException).code, "EAGAIN");
    }
  }
  let read = "";
  const bytes = Buffer.alloc(65_536);
  return {
    fd,
    /** Reads what it was filled with. */
    empty: (): void => {
      try {
        for (;;) readSync(fd, bytes);
      } catch (failure) {
        assert.is((failure as NodeJS.ErrnoException).code, "EAGAIN");
      }
    },
    /** Reads until the text ends in `end`, and returns what was written after the filling. */
    readUntil: async (end: string): Promise<string> => {
      while (!read.endsWith(end)) {
        try {
          read += bytes.toString("utf8", 0, readSync(fd, bytes));
        } catch {
          await turn();
        }
      }
      return read.replace(/^\.+/, "");
    },
    remove: async () => {
      closeSync(fd);
      await rm(directory, { recursive: true });
    },
  };
}

/** Waits until writes in the background that began before have failed. */
async function untilWritesFail(fd: number): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await turn();
    await writeInBackground(fd, "x").then(
      () => assert.unreachable(),
      () => {},
    );
  }
}

const destination = suite("lines to a pipe that is full");

for (const [bytes, isKept] of [
  [maxWaitingBytes - 1, true],
  [maxWaitingBytes, true],
  [maxWaitingBytes + 1, false],
] as const) {
  destination(`wait ${isKept ? "" : "but for the oldest "}at ${bytes} of ${maxWaitingBytes} bytes`, async () => {
    const pipe = await fullPipe();
    try {
      const lines = openLogDestination(pipe.fd, maxWaitingBytes);
      lines.write("first\n");
      const newest = `${"x".repeat(bytes - 7)}\n`;
      lines.write(newest);
      await untilWritesFail(pipe.fd);
      const oldest = isKept ? "first\n" : '{"level":40,"msg":"log lines were dropped","dropped":1}\n';
      assert.is(await pipe.readUntil(newest), oldest + newest);
    } finally {
      await pipe.remove();
    }
  });
}

destination("wait while others are being written, the newest in any case", async () => {
  const pipe = await fullPipe();
  try {
    const lines = openLogDestination(pipe.fd, maxWaitingBytes);
    lines.write("in progress\n");
    await untilWritesFail(pipe.fd);
    lines.write("older\n");
    const newest = `${"x".repeat(maxWaitingBytes)}\n`;
    lines.write(newest);
    await untilWritesFail(pipe.fd);
    assert.is(
      await pipe.readUntil(newest),
      `in progress\n{"level":40,"msg":"log lines were dropped","dropped":1}\n${newest}`,
    );
  } finally {
    await pipe.remove();
  }
});

destination("are all written once it is read, those of a write that was cut short too", async () => {
  const pipe = await fullPipe();
  try {
    const lines = openLogDestination(pipe.fd, 1_000_000);
    const long = ["first", "second"].map((name) => `${name} ${"x".repeat(200_000)}\n`);
    for (const line of long) {
      lines.write(line);
      await turn();
    }
    assert.is(await pipe.readUntil(long.at(-1) ?? ""), long.join(""));
  } finally {
    await pipe.remove();
  }
});

destination("are none dropped after more than the maximum was written in turns", async () => {
  const pipe = await fullPipe();
  try {
    pipe.empty();
    const lines = openLogDestination(pipe.fd, maxWaitingBytes);
    let written = "";
    for (let turns = 0; turns < 5; turns += 1) {
      for (const line of [`${turns} ${"x".repeat(40)}\n`, `${turns}\n`]) {
        lines.write(line);
        written += line;
      }
      assert.is(await pipe.readUntil(`\n${turns}\n`), written);
    }
  } finally {
    await pipe.remove();
  }
});

destination("are written at once when the process ends, those of a failed write first", async () => {
  const pipe = await fullPipe();
  try {
    const lines = openLogDestination(pipe.fd, maxWaitingBytes);
    lines.write("failed\n");
    await untilWritesFail(pipe.fd);
    lines.write("last\n");
    pipe.empty();
    lines.flushSync();
    assert.is(await pipe.readUntil("last\n"), "failed\nlast\n");
  } finally {
    await pipe.remove();
  }
});

destination.run();
