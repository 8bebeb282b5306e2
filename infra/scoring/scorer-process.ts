import { fork } from "node:child_process";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Scoring is unavailable: no process, too many calls, or not enough time. A retry may succeed. */
export class ScorerUnavailable extends Error {
  override readonly name: string = "ScorerUnavailable";
}

/** The process that models run in has ended. */
export class ScorerEnded extends ScorerUnavailable {}

/** The package that runs models is optional: it is not installed, or does not load. */
export class ModelRuntimeMissing extends ScorerUnavailable {
  override readonly name = "ModelRuntimeMissing";
}

/** A process that models run in. */
export interface ScorerProcess {
  /**
   * Sends a request and resolves with its response.
   * @throws {ScorerEnded} when the process ends before it; {@link ScorerUnavailable} when the request fails;
   *   {@link ModelRuntimeMissing}
   */
  request<Result>(kind: "load" | "drop" | "score" | "check", fields: object): Promise<Result>;
  /** How it ended, once it has. */
  readonly ended: Promise<string>;
  /** Ends it at once. */
  kill(): void;
}

type Message =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: string }
  /** Why the package that runs models does not load. */
  | { readonly runtimeFailure: string };

interface Pending {
  resolve(result: unknown): void;
  reject(failure: Error): void;
}

const require = createRequire(import.meta.url);
const runtime = "onnxruntime-node";
const scorerProgram = fileURLToPath(new URL("./scorer-child.js", import.meta.url));

/**
 * Starts a process that models can be loaded into; it takes requests at once. It inherits no environment, which holds
 * secrets, and runs in the directory of its program: a model may name further files, relative to that.
 * @throws {ModelRuntimeMissing}
 */
export function startScorerProcess(program = scorerProgram): ScorerProcess {
  requireRuntime();
  const child = fork(program, {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    execArgv: [],
    env: {},
    cwd: dirname(program),
  });
  const pending = new Map<number, Pending>();
  let requests = 0;
  let isOver = false;

  const ended = new Promise<string>((resolve) => {
    const end = (how: string, failure: Error): void => {
      isOver = true;
      for (const { reject } of pending.values()) reject(failure);
      pending.clear();
      resolve(how);
    };
    child.on("message", (message: Message) => {
      if ("runtimeFailure" in message) {
        const how = `cannot load ${runtime}: ${message.runtimeFailure}`;
        end(how, new ModelRuntimeMissing(`Models cannot run: the scorer ${how}. Run npm ci on this machine.`));
        child.kill("SIGKILL");
        return;
      }
      const request = pending.get(message.id);
      pending.delete(message.id);
      if ("failure" in message) request?.reject(new ScorerUnavailable(message.failure));
      else request?.resolve(message.result);
    });
    child.once("exit", (code, signal) => {
      const how = `ended with ${signal ?? `exit ${code}`}`;
      end(how, new ScorerEnded(`The scorer ${how}`));
    });
    child.on("error", (failure) => {
      // If it runs, `exit` follows.
      if (child.pid === undefined)
        end("was not started", new ScorerUnavailable("No scorer starts", { cause: failure }));
    });
  });
  return {
    request: <Result>(kind: string, fields: object) =>
      new Promise<Result>((resolve, reject) => {
        if (isOver) {
          reject(new ScorerEnded("The scorer has ended"));
          return;
        }
        requests += 1;
        pending.set(requests, { resolve: (result) => resolve(result as Result), reject });
        // A failure to send is followed by the end of the process.
        child.send({ id: requests, kind, ...fields }, () => {});
      }),
    ended,
    kill: () => {
      child.kill("SIGKILL");
    },
  };
}

function requireRuntime(): void {
  try {
    require.resolve(runtime);
  } catch {
    throw new ModelRuntimeMissing(
      `Models cannot run: the optional package ${runtime} is not installed. Run npm ci, and start again.`,
    );
  }
}
