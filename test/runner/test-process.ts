import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FileToRun, Message } from "./messages.ts";

/** A process in a group of its own, which does not outlive it. It runs test files, one at a time. */
export interface TestProcess {
  /** Sends the file; `onMessage` gets what the process reports until `closed`, or until it ends. */
  run(file: FileToRun, onMessage: (message: Message) => void): Promise<TestRun>;
  kill(): void;
  end(): Promise<void>;
}

/** How a process came out of a file. */
interface TestRun {
  /** How the process ended; null when it still runs. */
  readonly end: string | null;
  /** Whether it may run another file. */
  readonly reusable: boolean;
  /** What it has printed while it ran the file. */
  readonly output: string;
}

const child = fileURLToPath(new URL("./child.js", import.meta.url));

export async function startTestProcess(environment: NodeJS.ProcessEnv): Promise<TestProcess> {
  const output = await outputFile();
  // A file, not a pipe: what the process has printed is there when its message arrives.
  const tests = spawn(process.execPath, [...process.execArgv, child], {
    env: environment,
    stdio: ["ignore", output.fd, output.fd, "ipc"],
    detached: true,
  });
  const ended = once(tests, "close");
  const kill = (): void => killGroup(tests);
  return {
    run: async (file, onMessage) => {
      let reusable = false;
      await output.truncate();
      await new Promise<void>((resolve) => {
        const listen = (message: Message): void => {
          if (message.kind === "file closed") {
            reusable = message.reusable;
            tests.off("message", listen);
            resolve();
          } else onMessage(message);
        };
        tests.on("message", listen);
        tests.send(file, () => undefined);
        void ended.then(() => resolve());
      });
      return { end: endOf(tests), reusable, output: await output.text() };
    },
    kill,
    end: async () => {
      kill();
      await ended;
      await output.close();
    },
  };
}

function endOf({ exitCode, signalCode }: ChildProcess): string | null {
  return signalCode ?? (exitCode === null ? null : `exit ${exitCode}`);
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // The whole group has ended already.
  }
}

interface OutputFile {
  readonly fd: number;
  truncate(): Promise<void>;
  text(): Promise<string>;
  close(): Promise<void>;
}

/** A file without a name. */
async function outputFile(): Promise<OutputFile> {
  const directory = await mkdtemp(join(tmpdir(), "touchledger-output-"));
  const file = await open(join(directory, "output"), "a+");
  await rm(directory, { recursive: true });
  return {
    fd: file.fd,
    truncate: () => file.truncate(),
    text: async () => {
      const { size } = await file.stat();
      const { buffer } = await file.read(Buffer.alloc(size), 0, size, 0);
      return buffer.toString();
    },
    close: () => file.close(),
  };
}
