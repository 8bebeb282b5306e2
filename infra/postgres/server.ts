import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { minuteMs } from "../../domain/values/instants.ts";
import { readIfThere } from "../data-directory/files.ts";
import { storedSecret } from "../data-directory/secrets.ts";
import type { Log } from "../process/log.ts";
import { applicationRole, ensureApplicationRole } from "./application-role.ts";
import { type Binaries, prepareBinaries } from "./binaries.ts";
import { databaseUser, ensureCluster, postgresEnvironment } from "./cluster.ts";
import { deleteCluster, PostgresUnavailable } from "./managed-postgres-error.ts";
import { stopOrphanedServer, stopPostmaster } from "./orphaned-server.ts";
import { clusterIn, prepareServerHome, type ServerHome } from "./server-home.ts";
import { runningAs } from "./system-user.ts";

export interface PostgresServer {
  /** Of the database `touchledger`, with the password. The role may create databases and roles, and is no superuser. */
  readonly connectionString: string;
  /** Of the postmaster, which leads its own process group. */
  readonly pid: number;
  /** Directory of its files. */
  readonly home: string;
  /** Fast shutdown. Safe to call twice. */
  stop(): Promise<void>;
  /** Lets this process end while the server runs. */
  unref(): void;
}

interface PostgresOptions {
  /** Used by this server alone; created when absent. Contains the password and, where Postgres can enter, the files. */
  readonly directory: string;
  readonly log: Log;
  /** Called when the server ends although it was not stopped. */
  readonly onFailure?: (failure: Error) => void;
  /** Settings of Postgres that override the defaults below. */
  readonly settings?: Readonly<Record<string, string>>;
}

const settings: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  // Three of them are the superuser's.
  max_connections: "63",
  shared_buffers: sharedBuffers(),
  max_wal_size: "2GB",
  // Read models are in memory or on a solid-state disk: an index is then faster than sorting a whole table.
  random_page_cost: "1.1",
  // Without replication a bulk load into a new table writes no WAL.
  wal_level: "minimal",
  max_wal_senders: "0",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
};

const readyWithinMs = 10 * minuteMs;
const reportEveryMs = 10_000;
const pollMs = 20;
const maxAttempts = 6;
const maxLogBytes = 10 * 1024 * 1024;
/** Failures worth a retry: the port was taken meanwhile, or processes of a killed server have not ended yet. */
const transientFailure =
  /Address already in use|could not bind|shared memory block|lock file "postmaster.pid" already exists/;

/**
 * Starts a private Postgres: on loopback, on a free port, with a random password and data that survive restarts. A server
 * orphaned by a killed process is stopped first.
 * @throws {PostgresUnavailable} with what to do, when it cannot run here
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  await mkdir(options.directory, { recursive: true });
  const directory = await realpath(options.directory);
  if (process.getuid?.() === 0) await chmod(directory, 0o711);
  const password = await storedSecret(directory, "password");
  const serverHome = await prepareServerHome(directory, password.text);
  const cluster = clusterIn(serverHome.home);
  if (!serverHome.home.startsWith(join(directory, "/")))
    options.log.info({ home: serverHome.home }, "Postgres keeps its files outside of the data directory");
  if (await stopOrphanedServer(cluster)) options.log.warn("stopped the Postgres server of a killed process");
  const binaries = await prepareBinaries(serverHome.home, serverHome.user);
  const isCreated = await ensureCluster(serverHome, binaries, {
    password: password.text,
    isDurable: options.settings?.fsync !== "off",
  });
  if (password.isNew && !isCreated) {
    throw new PostgresUnavailable(
      `The password of the database in ${cluster} is lost (${password.file}). ${deleteCluster}`,
    );
  }
  const ofApplication = await storedSecret(directory, "application-password");
  const { child, port } = await startPostmaster(serverHome, binaries, options);
  const address = (user: string, secret: string, database: string) =>
    `postgres://${user}:${secret}@127.0.0.1:${port}/${database}`;
  try {
    await ensureApplicationRole((database) => address(databaseUser, password.text, database), ofApplication.text);
  } catch (failure) {
    await stopChild(child);
    if (!isWrongPassword(failure)) throw failure;
    throw new PostgresUnavailable(
      `The password in ${password.file} is not that of the database in ${cluster}. ${deleteCluster}`,
    );
  }
  let isStopping = false;
  child.once("exit", (code, signal) => {
    if (!isStopping) options.onFailure?.(new Error(`Postgres ended unexpectedly (${signal ?? `exit ${code}`}).`));
  });
  return {
    connectionString: address(applicationRole, ofApplication.text, databaseUser),
    pid: child.pid ?? 0,
    home: serverHome.home,
    stop: () => {
      isStopping = true;
      return stopChild(child);
    },
    unref: () => child.unref(),
  };
}

async function startPostmaster(
  { home, user }: ServerHome,
  binaries: Binaries,
  options: PostgresOptions,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const serverLog = await openServerLog(home);
  try {
    for (let attempt = 1; ; attempt++) {
      const { size: logged } = await serverLog.stat();
      const port = await freePort();
      const parameters = Object.entries({ ...settings, ...options.settings, port: String(port) });
      // `detached`: its own process group, else Ctrl-C in a terminal would end it as well.
      const child = spawn(
        binaries.postgres,
        ["-D", clusterIn(home), ...parameters.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
        {
          ...runningAs(user),
          cwd: "/",
          env: postgresEnvironment,
          stdio: ["ignore", serverLog.fd, serverLog.fd],
          detached: true,
        },
      );
      if (await isReady(child, home, options.log)) return { child, port };
      const output = await readFrom(serverLog, logged);
      if (attempt >= maxAttempts || !transientFailure.test(output)) {
        throw new PostgresUnavailable(
          `Postgres did not start. Its log (${join(home, "postgres.log")}) says:\n${output}\n` +
            `Can the user of Postgres read and write ${clusterIn(home)}? If so, files there are damaged. ${deleteCluster}`,
        );
      }
      await delay(250 * attempt);
    }
  } finally {
    await serverLog.close();
  }
}

/** SQLSTATE `invalid_password`. */
function isWrongPassword(failure: unknown): boolean {
  return (failure as { readonly code?: unknown } | null)?.code === "28P01";
}

/** Waits, as `pg_ctl` does, for "ready" in the postmaster's lock file. Returns false when the process ended instead. */
async function isReady(child: ChildProcess, home: string, log: Log): Promise<boolean> {
  let spawnFailure: Error | null = null;
  child.once("error", (failure) => {
    spawnFailure = failure;
  });
  const since = performance.now();
  for (let reported = since; ; await delay(pollMs)) {
    if (spawnFailure !== null) throw spawnFailure;
    if (child.exitCode !== null || child.signalCode !== null) return false;
    const [pid, , , , , , , state] = ((await readIfThere(join(clusterIn(home), "postmaster.pid"))) ?? "").split("\n");
    if (Number(pid) === child.pid && state?.startsWith("ready")) return true;
    const now = performance.now();
    if (now - since > readyWithinMs) {
      await stopChild(child);
      throw new PostgresUnavailable(
        `Postgres was not ready within ${readyWithinMs / minuteMs} minutes. See ${join(home, "postgres.log")}.`,
      );
    }
    if (now - reported > reportEveryMs) {
      reported = now;
      log.info({ seconds: Math.round((now - since) / 1000) }, "waiting for Postgres to recover");
    }
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  if (child.pid === undefined || hasEnded()) return;
  await stopPostmaster(child.pid);
  if (!hasEnded()) await once(child, "exit");
}

async function openServerLog(home: string): Promise<FileHandle> {
  const serverLog = await open(join(home, "postgres.log"), "a+", 0o600);
  if ((await serverLog.stat()).size > maxLogBytes) await serverLog.truncate();
  return serverLog;
}

async function readFrom(file: FileHandle, start: number): Promise<string> {
  const { size } = await file.stat();
  const { buffer } = await file.read({ buffer: Buffer.alloc(size - start), position: start });
  return buffer.toString("utf8").trim();
}

/** A free port of the loopback interface; another process may take it a moment later. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/**
 * `shared_buffers` of Postgres: an eighth of the memory, 128 MB to 4 GB. Reports read all facts of some weeks repeatedly,
 * and copying pages from the kernel's cache takes twice as long; the event store and Node need the rest.
 * @param memory bytes of this machine, or of the container
 */
export function sharedBuffers(memory: number = availableMemory()): string {
  const megabytes = Math.floor(memory / 8 / 1024 ** 2);
  return `${Math.min(Math.max(megabytes, 128), 4096)}MB`;
}

/** Without a limit of the container Node returns 0, or more than any machine has. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
