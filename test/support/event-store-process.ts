import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** An event store in a process of its own. */
export interface EventStoreProcess {
  readonly port: number;
  readonly connectionString: string;
  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void;
  /** Kills it and waits until it is gone. */
  kill(): Promise<void>;
}

const script = fileURLToPath(new URL("./store-process.js", import.meta.url));
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts one; rejects when it ends before it listens. */
export async function startEventStoreProcess(directory: string, port = 0): Promise<EventStoreProcess> {
  const child = fork(script, [directory, String(port)], { stdio: "inherit" });
  running.add(child);
  const gone = once(child, "exit").finally(() => running.delete(child));
  const ended = gone.then(() => {
    throw new Error("the event store ended before it listened");
  });
  const [message] = (await Promise.race([once(child, "message"), ended])) as [EventStoreProcess];
  ended.catch(() => undefined);
  return {
    port: message.port,
    connectionString: message.connectionString,
    signal: (name) => {
      child.kill(name);
    },
    kill: async () => {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
