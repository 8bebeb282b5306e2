import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { readIfThere } from "../data-directory/files.ts";
import { keptSecret } from "../data-directory/secrets.ts";
import type { Log } from "../process/log.ts";
import { type Binaries, prepareBinaries } from "./binaries.ts";
import { databaseUser, ensureCluster, postgresEnvironment } from "./cluster.ts";
import { stopLeftover, stopPostmaster } from "./orphaned-server.ts";
import { PostgresUnavailable } from "./postgres-unavailable.ts";
import { clusterIn, type Placement, placePostgres } from "./server-home.ts";
import { runningAs } from "./system-user.ts";

export interface PostgresServer {
  /** Of the database `touchledger`, with the password; the user may create databases. */
  readonly connectionString: string;
  /** Of the postmaster, which leads a process group of its own. */
  readonly pid: number;
  /** Where its files are. */
  readonly home: string;
  /** Fast shutdown. Safe to call twice. */
  stop(): Promise<void>;
  /** Lets this process end while the server still runs. */
  unref(): void;
}

interface PostgresOptions {
  /** Ours alone, made when absent. Keeps the password; keeps the server's files too where Postgres can get there. */
  readonly directory: string;
  readonly log: Log;
  /** Called when the server ends without having been asked to. */
  readonly onFailure?: (failure: Error) => void;
  /** Settings of Postgres over our own, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

const settings: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "60",
  shared_buffers: sharedBuffers(),
  max_wal_size: "2GB",
  // What the read models are asked for lies in memory or on a solid disk: an index then beats sorting a whole table.
  random_page_cost: "1.1",
  // Nobody replicates a private server: a bulk load into a new table then writes no log of it.
  wal_level: "minimal",
  max_wal_senders: "0",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
};

const readyWithinMs = 10 * 60_000;
const reportEveryMs = 10_000;
const pollMs = 20;
const attempts = 6;
const largestLogBytes = 10 * 1024 * 1024;
/** What clears up by itself: the port was taken meanwhile, or processes of a killed server have not ended yet. */
const passingFault =
  /Address already in use|could not bind|shared memory block|lock file "postmaster.pid" already exists/;

/**
 * Starts a Postgres of our own: loopback only, on a free port, with a random password, its data kept in `directory`
 * over restarts. A server left over from a killed process is stopped first.
 * @throws {PostgresUnavailable} saying what to do, when it cannot run here
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  await mkdir(options.directory, { recursive: true });
  const directory = await realpath(options.directory);
  if (process.getuid?.() === 0) await chmod(directory, 0o711);
  const password = await keptSecret(directory, "password");
  const placement = await placePostgres(directory, password.text);
  const cluster = clusterIn(placement.home);
  if (placement.home !== directory) options.log.info({ home: placement.home }, "Postgres keeps its files elsewhere");
  if (await stopLeftover(cluster)) options.log.warn("stopped a Postgres that a killed process had left running");
  const binaries = await prepareBinaries(placement.home, placement.user);
  const isMade = await ensureCluster(placement, binaries, {
    password: password.text,
    isDurable: options.settings?.fsync !== "off",
  });
  if (password.isNew && !isMade) {
    throw new PostgresUnavailable(
      `The password of the database in ${cluster} is lost (${password.file}). ` +
        "Delete that directory: everything in it is built again from the event log.",
    );
  }
  const { child, port } = await startPostmaster(placement, binaries, options);
  const address = (database: string) => `postgres://${databaseUser}:${password.text}@127.0.0.1:${port}/${database}`;
  try {
    await ensureDatabase(address("postgres"));
  } catch (failure) {
    await stopChild(child);
    throw failure;
  }
  let isStopping = false;
  child.once("exit", (code, signal) => {
    if (!isStopping) options.onFailure?.(new Error(`Postgres has ended by itself (${signal ?? `exit ${code}`}).`));
  });
  return {
    connectionString: address(databaseUser),
    pid: child.pid ?? 0,
    home: placement.home,
    stop: () => {
      isStopping = true;
      return stopChild(child);
    },
    unref: () => child.unref(),
  };
}

async function startPostmaster(
  { home, user }: Placement,
  binaries: Binaries,
  options: PostgresOptions,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const serverLog = await openServerLog(home);
  try {
    for (let attempt = 1; ; attempt++) {
      const { size: logged } = await serverLog.stat();
      const port = await freePort();
      const parameters = Object.entries({ ...settings, ...options.settings, port: String(port) });
      // `detached`: a group of its own, else the Ctrl-C meant for us would reach it as well.
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
      const said = await readFrom(serverLog, logged);
      if (attempt >= attempts || !passingFault.test(said)) {
        throw new PostgresUnavailable(`Postgres did not start. Its log (${join(home, "postgres.log")}) says:\n${said}`);
      }
      await delay(250 * attempt);
    }
  } finally {
    await serverLog.close();
  }
}

/** Waits as `pg_ctl` does: for the word in the postmaster's own file. False when it ended instead. */
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
      throw new PostgresUnavailable(`Postgres was not ready within ${readyWithinMs / 60_000} minutes.`);
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

async function ensureDatabase(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const found = await client.query("select 1 from pg_database where datname = $1", [databaseUser]);
    if (found.rowCount === 0) await client.query(`create database ${databaseUser}`);
  } finally {
    await client.end();
  }
}

async function openServerLog(home: string): Promise<FileHandle> {
  const serverLog = await open(join(home, "postgres.log"), "a+", 0o600);
  if ((await serverLog.stat()).size > largestLogBytes) await serverLog.truncate();
  return serverLog;
}

async function readFrom(file: FileHandle, start: number): Promise<string> {
  const { size } = await file.stat();
  const { buffer } = await file.read({ buffer: Buffer.alloc(size - start), position: start });
  return buffer.toString("utf8").trim();
}

/** A port of the loopback interface that nobody listens on now; somebody else may take it a moment later. */
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
