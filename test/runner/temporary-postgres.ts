import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processIdentity } from "../../infra/data-directory/processes.ts";
import { stopOrphanedServer } from "../../infra/postgres/orphaned-server.ts";
import { startPostgres } from "../../infra/postgres/server.ts";
import { clusterIn } from "../../infra/postgres/server-home.ts";
import { openLogger } from "../../infra/process/log.ts";

/** A Postgres in a temporary directory, with durability off. */
interface TemporaryPostgres {
  readonly connectionString: string;
  readonly pid: number;
  /** Everything to delete once it has ended. */
  readonly directories: readonly string[];
  /** Stops it and deletes its files. */
  remove(): Promise<void>;
  unref(): void;
}

const prefix = "touchledger-tests-";

/** Starts one, after sweeping away those of test runs that were killed. */
export async function startTemporaryPostgres(): Promise<TemporaryPostgres> {
  await sweep();
  const directory = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  const server = await startPostgres({
    directory,
    log: openLogger("silent"),
    settings: {
      shared_buffers: "128MB",
      fsync: "off",
      full_page_writes: "off",
      synchronous_commit: "off",
      autovacuum: "off",
      max_connections: "200",
    },
  });
  const directories = [directory, server.home];
  return {
    connectionString: server.connectionString,
    pid: server.pid,
    directories,
    remove: async () => {
      await server.stop();
      for (const path of directories) await rm(path, { recursive: true, force: true });
    },
    unref: server.unref,
  };
}

async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, owner] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? [];
    if (owner === undefined || processIdentity(Number(owner)) !== null) continue;
    const directory = join(tmpdir(), name);
    await stopOrphanedServer(clusterIn(join(directory, "server")));
    await rm(directory, { recursive: true, force: true });
  }
}
