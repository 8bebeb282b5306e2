import type { Log } from "./log.ts";

/** Something that runs: started in order (infra/composition/application.ts), stopped in reverse. */
export interface Part {
  readonly name: string;
  start(): Promise<void>;
  /** Releases everything. After `drainOver` aborts, it must not wait for work in progress. */
  stop(drainOver: AbortSignal): Promise<void>;
}

/** A part that opens something for the parts after it. */
export interface OpeningPart<Opened> extends Part {
  /** What it has opened. Throws unless it has started: a part may use only parts before it. */
  opened(): Opened;
}

export interface Lifecycle {
  /**
   * Starts the parts one after the other; returns false when it was stopped meanwhile. When one fails, those already
   * started are stopped in reverse, and the failure is thrown.
   */
  start(): Promise<boolean>;
  /** Stops every part, the last started first. Safe to call twice and while starting; logs failures, never rejects. */
  stop(): Promise<void>;
  /** Whether all parts run and none is being stopped, for `/readyz`. */
  ready(): boolean;
}

/** How long work in progress may continue after a stop; clients that read nothing have less (http-server.ts). */
const drainMs = 10_000;
/** Maximum time of stopping; afterwards the process exits. Who ends it from outside must wait longer. */
export const stopMs = 40_000;
/** npm repeats the Ctrl-C that the terminal has already sent: two signals within this time are one. */
const sameSignalMs = 500;

/** A part that opens and closes one value. */
export function openingPart<Opened>(
  name: string,
  open: () => Promise<Opened>,
  close: (opened: Opened, drainOver: AbortSignal) => Promise<void>,
): OpeningPart<Opened> {
  let state: { readonly opened: Opened } | null = null;
  return {
    name,
    start: async () => {
      state = { opened: await open() };
    },
    stop: async (drainOver) => {
      const last = state;
      state = null;
      if (last !== null) await close(last.opened, drainOver);
    },
    opened: () => {
      if (state === null) throw new Error(`The part "${name}" has not started.`);
      return state.opened;
    },
  };
}

/** Starts and stops the parts. */
export function lifecycleOf(parts: readonly Part[], log: Log): Lifecycle {
  const started: Part[] = [];
  let starting: Promise<boolean> | null = null;
  let stopping: Promise<void> | null = null;
  let allRun = false;
  const startAll = async (): Promise<boolean> => {
    for (const part of parts) {
      if (stopping !== null) return false;
      const since = performance.now();
      await part.start();
      started.push(part);
      log.debug({ part: part.name, ms: Math.round(performance.now() - since) }, "started");
    }
    allRun = true;
    return stopping === null;
  };
  const stop = (): Promise<void> => {
    stopping ??= Promise.resolve(starting)
      .catch(() => false)
      .then(() => stopAll(started, log));
    return stopping;
  };
  return {
    start: async () => {
      starting = startAll();
      try {
        return await starting;
      } catch (failure) {
        await stop();
        throw failure;
      }
    },
    stop,
    ready: () => allRun && stopping === null,
  };
}

async function stopAll(started: Part[], log: Log): Promise<void> {
  const drainOver = AbortSignal.timeout(drainMs);
  for (let part = started.pop(); part !== undefined; part = started.pop()) {
    try {
      await part.stop(drainOver);
      log.debug({ part: part.name }, "stopped");
    } catch (failure) {
      log.error({ part: part.name, err: failure }, "could not be stopped");
    }
  }
}

/** Ends the process. */
export interface ProcessEnd {
  /** Stops in order, then exits with `code`. */
  end(code: number): void;
  /** Stops in order, then exits with 1, because a part has failed. */
  fail(failure: Error): void;
}

/** Ends the process on `SIGTERM`, `SIGINT` or `SIGHUP`: `stop` runs, then exit 0; a second signal exits at once. */
export function endOnSignals(stop: () => Promise<void>, log: Log): ProcessEnd {
  let since: number | null = null;
  const end = (code: number): void => {
    if (since !== null) return;
    since = performance.now();
    const deadline = setTimeout(() => {
      log.fatal(`stopping took longer than ${stopMs / 1000} s`);
      process.exit(1);
    }, stopMs);
    stop().finally(() => {
      clearTimeout(deadline);
      process.exit(code);
    });
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (since === null) {
      log.info({ signal }, "stopping");
      end(0);
    } else if (performance.now() - since > sameSignalMs) {
      log.warn({ signal }, "second signal: exiting at once");
      process.exit(signal === "SIGINT" ? 130 : 143);
    }
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  // The terminal was closed; without a handler Postgres would keep running.
  process.on("SIGHUP", onSignal);
  return {
    end,
    fail: (failure) => {
      if (since === null) log.fatal({ err: failure }, "stopping because a part has failed");
      end(1);
    },
  };
}
