import { type ChildProcess, fork } from "node:child_process";
import { setMaxListeners } from "node:events";
import { fileURLToPath } from "node:url";
import type { AttemptResult } from "../../domain/webhooks/retries.ts";
import type { Poster, PosterOptions } from "./post.ts";

export type ToPoster =
  | {
      readonly kind: "post";
      readonly id: number;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: "abort"; readonly id: number };

export interface FromPoster {
  readonly id: number;
  readonly result: AttemptResult;
}

interface Waiting {
  readonly resolve: (result: AttemptResult) => void;
  readonly reject: (failure: unknown) => void;
}

/** A process that sends requests, and its requests without a result. */
interface Sender {
  readonly child: ChildProcess;
  readonly waiting: Map<number, Waiting>;
  /** Messages that are sent together at the end of the turn of the event loop. */
  outgoing: ToPoster[];
}

interface PosterProcessOptions extends Pick<PosterOptions, "allowsPrivate"> {
  /** By default the poster's. */
  readonly program?: string;
  /** A process that has no result for a request so long after it is ended (default 2 min). */
  readonly hungMs?: number;
}

/** A request ends within 10 s; on a busy machine a process of the lowest priority needs much longer. */
const defaultHungMs = 120_000;
const posterProgram = fileURLToPath(new URL("./poster-child.js", import.meta.url));
/** Where the certificates of authorities are. The rest of the environment has secrets. */
const inherited = ["NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA", "SSL_CERT_DIR", "SSL_CERT_FILE"];
/** Objects of a request live briefly: little memory is enough for them. */
const execArgv = ["--max-semi-space-size=4", "--v8-pool-size=1"];

/**
 * A poster in a process of its own, at the lowest priority (docs/decisions/025-webhooks.md). It starts with the first
 * request. When it ends, its requests reject, and the next one starts another. An OpenTelemetry SDK is not loaded: its
 * instrumentation of HTTP would replace the trace that a request belongs to.
 */
export function createPosterProcess({
  allowsPrivate,
  program = posterProgram,
  hungMs = defaultHungMs,
}: PosterProcessOptions): Poster {
  let current: Sender | null = null;
  let lastId = 0;

  const start = (): Sender => {
    const child = fork(program, allowsPrivate ? ["--allows-private"] : [], {
      execArgv,
      env: Object.fromEntries(inherited.map((name) => [name, process.env[name]])),
      serialization: "advanced",
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const sender: Sender = { child, waiting: new Map(), outgoing: [] };
    const end = (cause: unknown): void => {
      if (current === sender) current = null;
      const failure = new Error("The process that sends webhooks has ended", { cause });
      for (const { reject } of sender.waiting.values()) reject(failure);
    };
    child.on("message", (results) => {
      for (const { id, result } of results as unknown as readonly FromPoster[]) {
        sender.waiting.get(id)?.resolve(result);
      }
    });
    child.on("exit", (code, signal) => end(signal ?? `exit ${code}`));
    // If it runs, `exit` follows.
    child.on("error", (failure) => {
      if (child.pid === undefined) end(failure);
    });
    return sender;
  };

  const queueMessage = (sender: Sender, message: ToPoster): void => {
    sender.outgoing.push(message);
    if (sender.outgoing.length > 1) return;
    setImmediate(() => {
      // A failure to send is followed by the end of the process.
      sender.child.send(sender.outgoing, () => undefined);
      sender.outgoing = [];
    });
  };

  return {
    post: async (url, headers, body, signal) => {
      signal.throwIfAborted();
      current ??= start();
      const sender = current;
      const id = ++lastId;
      // Node.js warns of a signal that more than ten listen to.
      setMaxListeners(0, signal);
      const abort = (): void => {
        queueMessage(sender, { kind: "abort", id });
        sender.waiting.get(id)?.reject(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
      // The end of the process rejects every request that waits for it.
      const hung = setTimeout(() => sender.child.kill("SIGKILL"), hungMs);
      try {
        return await new Promise<AttemptResult>((resolve, reject) => {
          sender.waiting.set(id, { resolve, reject });
          queueMessage(sender, { kind: "post", id, url, headers, body });
        });
      } finally {
        clearTimeout(hung);
        sender.waiting.delete(id);
        signal.removeEventListener("abort", abort);
      }
    },
    close: () => {
      current?.child.kill("SIGKILL");
    },
  };
}
