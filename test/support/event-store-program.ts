import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { signalProcess } from "../../infra/data-directory/processes.ts";
import { connectLog } from "./event-store.ts";
import { program } from "./paths.ts";

/** An event store as an operator runs it alone: a process of its own on a data directory. */
export interface EventStoreProgram {
  /** Connection string with the credential. */
  readonly url: string;
  readonly port: number;
  /** `SIGTERM`, and waits for the orderly end; answers the exit code. */
  stop(): Promise<number | null>;
  /** `SIGKILL`, and waits until the process is gone. */
  kill(): Promise<void>;
  /** It answers nothing and refuses nothing from now on. */
  freeze(): void;
  thaw(): void;
  /** Resolves when it answers, as a cluster does that has a leader again. */
  untilItAnswers(): Promise<void>;
  /** Its leader is killed and started again, if it is a cluster. */
  readonly killLeader: (() => void) | null;
}

const startTimeoutMs = 60_000;
/** In a process group of its own, so that signals reach a server that the command has not replaced itself with. */
const options: SpawnOptions = { detached: true, stdio: ["ignore", "pipe", "inherit"] };
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) signal(child, "SIGKILL");
});

/**
 * Starts the command of `EVENTSTORE_PROGRAM`, by default {@link startEmbeddedEventStore the embedded one}, on a free port,
 * or on that of one that was killed. Only the embedded one gets `environment`. Rejects when it ends before it answers.
 */
export async function startEventStore(
  dataDirectory: string,
  port?: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<EventStoreProgram> {
  const command = process.env.EVENTSTORE_PROGRAM ?? "";
  if (command === "") return startEmbeddedEventStore(dataDirectory, port, environment);
  const chosen = port ?? (await freePort());
  const words = ["-c", `exec ${command} "$@"`, "EVENTSTORE_PROGRAM", dataDirectory, String(chosen)];
  // EventStoreDB takes every variable that begins so for a setting of its own, and refuses the ones that it lacks.
  const { EVENTSTORE_URL: _url, EVENTSTORE_PROGRAM: _program, ...env } = process.env;
  return untilRunning(spawn("sh", words, { ...options, env }), chosen);
}

/** `touchledger event-store`, whose store is `event-store` in the data directory. `environment` adds to that of this process. */
export async function startEmbeddedEventStore(
  dataDirectory: string,
  port?: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<EventStoreProgram> {
  const chosen = port ?? (await freePort());
  const words = [program, "event-store", "--port", String(chosen)];
  const env = { ...process.env, DATA_DIR: dataDirectory, LOG_LEVEL: "warn", ...environment };
  return untilRunning(spawn(process.execPath, words, { ...options, env }), chosen);
}

async function untilRunning(child: ChildProcess, port: number): Promise<EventStoreProgram> {
  running.add(child);
  const gone = once(child, "exit").finally(() => running.delete(child));
  const end = async (name: NodeJS.Signals): Promise<number | null> => {
    signal(child, name);
    await gone;
    return child.exitCode;
  };
  try {
    const url = await printedUrl(child);
    await untilItAnswers(url, child);
    return {
      url,
      port,
      stop: () => end("SIGTERM"),
      kill: async () => {
        await end("SIGKILL");
      },
      freeze: () => signal(child, "SIGSTOP"),
      thaw: () => signal(child, "SIGCONT"),
      untilItAnswers: () => untilItAnswers(url, child),
      killLeader: isCluster(url) ? () => void child.kill("SIGUSR1") : null,
    };
  } catch (failure) {
    await end("SIGKILL");
    throw failure;
  }
}

/** Whether an address names several nodes. */
export function isCluster(url: string): boolean {
  return url.includes(",");
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) signalProcess(-child.pid, name);
}

/** A port below those that systems give to outgoing connections, so that it is free when its server starts again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

async function printedUrl(child: ChildProcess): Promise<string> {
  let output = "";
  child.stdout?.setEncoding("utf8");
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (text: string) => {
      // A server goes on writing its log.
      if (output.length < 1_000_000) output += text;
      const [url] = /(esdb|kurrentdb)\S*:\/\/\S+(?=\s)/.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`The event store ended before it ran: ${output}`)));
  });
}

/** A node of its own needs seconds until it is the leader. */
async function untilItAnswers(url: string, child: ChildProcess): Promise<void> {
  const log = connectLog({ EVENTSTORE_URL: url, EVENT_STREAM_PREFIX: "" });
  const deadline = performance.now() + startTimeoutMs;
  try {
    for (;;) {
      try {
        await log.headPosition();
        return;
      } catch (error) {
        // A new server refuses its administrator, too, until it has made that user.
        if (child.exitCode !== null || performance.now() > deadline) throw error;
        await pause(50);
      }
    }
  } finally {
    await log.close();
  }
}
