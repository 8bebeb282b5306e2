import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogPosition } from "../../domain/event.ts";
import { openEventStoreInThisThread } from "../../infra/embedded-event-store/event-store.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { eventStoreAccess, eventStoreUrl } from "../../infra/event-log/event-store-access.ts";
import { createEventLog } from "../../infra/event-log/eventstore-event-log.ts";
import { startBreakableProxy } from "./breakable-proxy.ts";

/** Where programs find a log, as variables of their environment. */
export interface LogEnvironment {
  readonly EVENTSTORE_URL: string;
  /** Before the names of its streams; empty on a store of its own. */
  readonly EVENT_STREAM_PREFIX: string;
}

/** An empty event log of a test's own. */
export interface TestLog {
  readonly log: EventLog;
  readonly environment: LogEnvironment;
  /** From now on the log is unavailable. */
  stopStore(): Promise<void>;
  close(): Promise<void>;
}

/** A test log on an embedded event store of its own. */
export interface EmbeddedTestLog extends TestLog {
  readonly connectionString: string;
  readonly port: number;
  /** The directory of the store. */
  readonly directory: string;
}

/** What every embedded store of the tests accepts. */
export const credential = { username: "admin", password: "secret" };

/** A log as any program sees it that knows its place: all streams whose names begin with the prefix. */
export function connectLog(
  { EVENTSTORE_URL, EVENT_STREAM_PREFIX }: LogEnvironment,
  { deadlineMs = 5_000, onTrouble = (_: Error): void => {} } = {},
): EventLog {
  const names = { prefix: EVENT_STREAM_PREFIX, isOwn: () => true };
  return createEventLog({ ...eventStoreAccess(EVENTSTORE_URL), names, deadlineMs, onTrouble });
}

/** The log of a directory that outlives it, with options of its store. */
export async function openLogIn(
  directory: string,
  options: Partial<Parameters<typeof openEventStoreInThisThread>[0]> = {},
) {
  const store = await openEventStoreInThisThread({ directory, ...credential, ...options });
  const log = createEventLog({ connectionString: store.connectionString, ...credential, deadlineMs: 5_000 });
  const close = async (): Promise<void> => {
    await log.close();
    await store.close();
  };
  return { log, close };
}

interface TestLogOptions {
  /** One that a busy machine keeps by default; tests that wait for it to pass set a shorter one. */
  readonly deadlineMs?: number;
}

/** An empty log: streams of its own on the server of `EVENTSTORE_URL`, or an embedded store when that is not set. */
export async function startTestLog(options: TestLogOptions = {}): Promise<TestLog> {
  const shared = process.env.EVENTSTORE_URL ?? "";
  return shared === "" ? startEmbeddedLog(options) : startLogOn(shared, options);
}

export async function startEmbeddedLog({ deadlineMs = 30_000 }: TestLogOptions = {}): Promise<EmbeddedTestLog> {
  const directory = await mkdtemp(join(tmpdir(), "touchledger-test-"));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true, maxRetries: 5 });
  const store = await openEventStoreInThisThread({ directory, ...credential }).catch(async (failure) => {
    await remove();
    throw failure;
  });
  const { connectionString, port } = store;
  const log = createEventLog({ connectionString, ...credential, deadlineMs });
  let stopped = false;
  const stopStore = async (): Promise<void> => {
    if (!stopped) await store.close();
    stopped = true;
  };
  return {
    log,
    environment: { EVENTSTORE_URL: eventStoreUrl({ connectionString, ...credential }), EVENT_STREAM_PREFIX: "" },
    connectionString,
    port,
    directory,
    stopStore,
    close: async () => {
      await log.close();
      await stopStore();
      await remove();
    },
  };
}

/**
 * Others use the server too: the store of one log stops when the way to it does, and what is there already is not read
 * again from the start by each.
 */
async function startLogOn(shared: string, { deadlineMs = 30_000 }: TestLogOptions): Promise<TestLog> {
  const way = await startBreakableProxy(shared);
  const environment = {
    EVENTSTORE_URL: way.connectionString,
    EVENT_STREAM_PREFIX: `test_${randomBytes(8).toString("hex")}_`,
  };
  const start = await headOf(shared);
  const whole = connectLog(environment, { deadlineMs });
  const log: EventLog = {
    ...whole,
    readAll: (from, max) => whole.readAll(from === "start" ? start : from, max),
    subscribe: (subscription) =>
      whole.subscribe({ ...subscription, from: subscription.from === "start" ? start : subscription.from }),
  };
  let stopping: Promise<void> | null = null;
  const stopStore = (): Promise<void> => {
    stopping ??= way.close();
    return stopping;
  };
  return {
    log,
    environment,
    stopStore,
    close: async () => {
      await log.close();
      await stopStore();
    },
  };
}

async function headOf(url: string): Promise<LogPosition | "start"> {
  const everything = connectLog({ EVENTSTORE_URL: url, EVENT_STREAM_PREFIX: "" });
  return (await everything.headPosition().finally(everything.close)) ?? "start";
}

/**
 * The streams of a program that a test starts on a data directory: on a server that all tests share each directory has
 * streams of its own.
 */
export function streamsOf(environment: Readonly<Record<string, string>>): Partial<LogEnvironment> {
  const { DATA_DIR, EVENTSTORE_URL } = environment;
  if ((process.env.EVENTSTORE_URL ?? "") === "" || EVENTSTORE_URL !== undefined || DATA_DIR === undefined) return {};
  const name = createHash("sha256").update(DATA_DIR).digest("hex").slice(0, 16);
  return { EVENT_STREAM_PREFIX: `test_${name}_` };
}
