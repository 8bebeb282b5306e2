import type { Log } from "./log.ts";

/** Something that runs: started in order, stopped in reverse. */
export interface Part {
  readonly name: string;
  start(): Promise<void>;
  /** Lets go of everything. `drainOver` aborts when work in progress may no longer be waited for. */
  stop(drainOver: AbortSignal): Promise<void>;
}

/** A part that opens something for the parts after it. */
export interface OpeningPart<Opened> extends Part {
  /** What it has opened. Throws unless it has started: a part may use only what stands before it. */
  opened(): Opened;
}

export interface Lifecycle {
  /**
   * Starts the parts one after the other; true when all run, false when a stop came between. When one fails, those
   * already started are stopped, in reverse, and the failure is thrown.
   */
  start(): Promise<boolean>;
  /**
   * Stops every part, the last started first. Safe to call twice and while starting; never rejects, faults are logged.
   */
  stop(): Promise<void>;
  /** True from when all parts run to the first moment of stopping: what `/readyz` answers. */
  ready(): boolean;
}

/** How long work in progress may go on after a stop was asked for. */
const drainMs = 10_000;
/** How long stopping may take altogether before the process gives up. */
const stopMs = 40_000;
/** npm passes on the Ctrl-C that the terminal has already sent: two signals so close are one. */
const sameSignalMs = 500;

/** A part from how it is opened and closed. */
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

/** The life of the parts, in their order. */
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

/** How the process ends. */
export interface ProcessEnd {
  /** Stops in order, then exits with `code`. */
  end(code: number): void;
  /** The same with exit 1, for a part that has failed while running. */
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
      log.warn({ signal }, "asked again: ending at once");
      process.exit(signal === "SIGINT" ? 130 : 143);
    }
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  // The terminal was closed: nobody is there any more to see it run, and Postgres must not be left behind.
  process.on("SIGHUP", onSignal);
  return {
    end,
    fail: (failure) => {
      if (since === null) log.fatal({ err: failure }, "stopping because a part has failed");
      end(1);
    },
  };
}
