import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { program } from "./paths.ts";

/** The embedded event store as an operator runs it alone: a process of its own on a data directory. */
export interface EventStoreProgram {
  /** Connection string with the credential. */
  readonly url: string;
  /** `SIGTERM`, and waits for the orderly end; answers the exit code. */
  stop(): Promise<number | null>;
  /** `SIGKILL`, and waits until the process is gone. */
  kill(): Promise<void>;
  /** It answers nothing and refuses nothing from now on. */
  freeze(): void;
  thaw(): void;
}

/** `touchledger event-store` on a free port, or on `port`. */
export async function startEventStore(dataDirectory: string, port = "0"): Promise<EventStoreProgram> {
  const child = spawn(process.execPath, [program, "event-store", "--port", port], {
    env: { ...process.env, DATA_DIR: dataDirectory, LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    return child.exitCode;
  };
  return {
    url: await printedUrl(child),
    stop: () => end("SIGTERM"),
    kill: async () => {
      await end("SIGKILL");
    },
    freeze: () => {
      child.kill("SIGSTOP");
    },
    thaw: () => {
      child.kill("SIGCONT");
    },
  };
}

async function printedUrl(child: ChildProcess): Promise<string> {
  let output = "";
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk);
    const url = /esdb:\S+/.exec(output)?.[0];
    if (url !== undefined) {
      child.stdout?.resume();
      return url;
    }
  }
  throw new Error(`touchledger event-store printed no connection string: ${output}`);
}
