import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { processIdentity, signalProcess } from "../../../infra/data-directory/processes.ts";
import { PostgresUnavailable } from "../../../infra/postgres/managed-postgres-error.ts";
import { type PostgresServer, startPostgres } from "../../../infra/postgres/server.ts";
import { runningAs, userForPostgres } from "../../../infra/postgres/system-user.ts";
import { openLogger } from "../../../infra/process/log.ts";

const log = openLogger("silent");
const logged: string[] = [];
log.info = (_: unknown, message?: string) => void logged.push(message ?? "");
const isRoot = process.getuid?.() === 0;
/** Kills of processes lose nothing that the operating system has been given. */
const settings = { shared_buffers: "16MB", fsync: "off" };

interface Given {
  /** Of the data directory. */
  path: string;
}

async function makePath(given: Given): Promise<void> {
  given.path = await mkdtemp(join(tmpdir(), "touchledger-postgres-"));
  if (isRoot) await chmod(given.path, 0o711);
}
async function removePath({ path }: Given): Promise<void> {
  await rm(path, { recursive: true, maxRetries: 5 });
}

async function query(connectionString: string, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function superuserAddress(path: string, connectionString: string): Promise<string> {
  const address = new URL(connectionString);
  address.username = "touchledger";
  address.password = (await readFile(join(path, "password"), "utf8")).trim();
  return address.href;
}

/** Starts it, does something with it and stops it. */
async function during<Result>(directory: string, work: (server: PostgresServer) => Promise<Result>): Promise<Result> {
  const server = await startPostgres({ directory, log, settings });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

const readName = "select name from kept";
const keepName = "drop table if exists kept; create table kept as select 'ledger' as name";

/** One directory for all: to make a cluster takes longer than to start its server. */
const server = suite<Given>("an embedded Postgres");
server.before(makePath);
server.after(() => assert.equal(logged, []));
server.after(removePath);

server("listens on the loopback only, with a password that its directory keeps", async ({ path }) => {
  const running = await startPostgres({ directory: path, log });
  try {
    const { connectionString } = running;
    const listening = await query(
      await superuserAddress(path, connectionString),
      `select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
              current_setting('fsync') as fsync, current_setting('jit') as jit, current_database() as database`,
    );
    assert.equal(listening, [
      { addresses: "127.0.0.1", sockets: "", fsync: "on", jit: "off", database: "touchledger" },
    ]);
    const wrong = new URL(connectionString);
    wrong.password = "guessed";
    assert.match(await query(wrong.href, "select 1").then(String, String), "password authentication failed");
    assert.is((await stat(join(path, "password"))).mode & 0o777, 0o600);
  } finally {
    await running.stop();
  }
});

server("gives the application a role that is no superuser, and sorts text by code point", async ({ path }) => {
  const roleIs = "select current_user as name, rolsuper as super from pg_roles where rolname = current_user";
  const sorted = "select letter from unnest(array['a', 'B', 'ä', 'Z', '가']) as letter order by letter";
  const answers = await during(path, ({ connectionString }) =>
    Promise.all([query(connectionString, roleIs), query(connectionString, sorted)]),
  );
  assert.equal(answers, [
    [{ name: "touchledger_app", super: false }],
    [{ letter: "B" }, { letter: "Z" }, { letter: "a" }, { letter: "ä" }, { letter: "가" }],
  ]);
});

server("keeps its data over restarts, and leaves no process of its group when it has stopped", async ({ path }) => {
  const stopped = await during(path, async ({ pid, connectionString }) => {
    await query(connectionString, keepName);
    return pid;
  });
  assert.is(processIdentity(stopped), null);
  assert.is(signalProcess(-stopped, "SIGKILL"), false);
  const kept = await during(path, ({ connectionString }) => query(connectionString, readName));
  assert.equal(kept, [{ name: "ledger" }]);
});

server("stops a server that a killed process has left running, and loses nothing committed", async ({ path }) => {
  const starter = fileURLToPath(new URL("./start-program.js", import.meta.url));
  const other = spawn(process.execPath, [starter, path], { stdio: ["ignore", "pipe", "inherit"] });
  const [printed] = (await once(other.stdout, "data")) as [Buffer];
  const left: { pid: number; connectionString: string } = JSON.parse(printed.toString());
  await query(left.connectionString, keepName);
  other.kill("SIGKILL");
  await once(other, "exit");
  assert.is.not(processIdentity(left.pid), null);
  const kept = await during(path, async ({ pid, connectionString }) => {
    assert.is.not(pid, left.pid);
    assert.is(processIdentity(left.pid), null);
    return query(connectionString, readName);
  });
  assert.equal(kept, [{ name: "ledger" }]);
});

server("recovers after its whole process group was killed", async ({ path }) => {
  const killed = await startPostgres({ directory: path, log, settings });
  await query(killed.connectionString, keepName);
  signalProcess(-killed.pid, "SIGKILL");
  const kept = await during(path, ({ connectionString }) => query(connectionString, readName));
  assert.equal(kept, [{ name: "ledger" }]);
});

server("starts once the processes of a killed postmaster have ended", async ({ path }) => {
  const killed = await startPostgres({ directory: path, log, settings });
  const client = new pg.Client(killed.connectionString).on("error", () => {});
  await client.connect();
  const { rows } = await client.query("select pg_backend_pid() as pid");
  const [{ pid }] = rows as [{ pid: number }];
  signalProcess(pid, "SIGSTOP");
  const serverLog = join(killed.home, "postgres.log");
  const { size } = await stat(serverLog);
  signalProcess(killed.pid, "SIGKILL");
  const started = during(path, ({ connectionString }) => query(connectionString, "select 1 as one"));
  try {
    const isRefused = async () => (await readFile(serverLog, "utf8")).slice(size).includes("shared memory block");
    while (!(await isRefused())) await Promise.race([nextTurn(), started]);
  } finally {
    signalProcess(pid, "SIGKILL");
  }
  assert.equal(await started, [{ one: 1 }]);
});

server(
  "starts when a stale lock file has the pid of a Postgres of others, which runs on, and empties a long log",
  async ({ path }) => {
    const home = await during(path, async ({ home }) => home);
    // Not this process: Postgres ignores the pid of its parent, and those of other users.
    const user = runningAs(await userForPostgres(home));
    const other = spawn("sleep", ["600"], { ...user, argv0: "postgres", cwd: "/", stdio: "ignore" });
    await once(other, "spawn");
    await writeFile(join(home, "cluster", "postmaster.pid"), `${other.pid}\n`);
    const serverLog = join(home, "postgres.log");
    await truncate(serverLog, 10 * 1024 * 1024 + 1);
    try {
      assert.equal(await during(path, ({ connectionString }) => query(connectionString, "select 1 as one")), [
        { one: 1 },
      ]);
      assert.equal([other.exitCode, other.signalCode], [null, null]);
    } finally {
      other.kill();
    }
    assert.ok((await stat(serverLog)).size < 1024 * 1024);
  },
);

server("reports when it ends by itself, and not when it was stopped", async ({ path }) => {
  const failures: string[] = [];
  const options = { directory: path, log, settings };
  const stopped = await startPostgres({ ...options, onFailure: ({ message }) => failures.push(message) });
  await stopped.stop();
  assert.equal(failures, []);
  await new Promise<void>((resolve) => {
    const onFailure = (failure: Error): void => {
      failures.push(failure.message);
      resolve();
    };
    startPostgres({ ...options, onFailure }).then(({ pid }) => signalProcess(pid, "SIGKILL"));
  });
  assert.equal(failures, ["Postgres ended unexpectedly (SIGKILL)."]);
});

server("is not left running when the password of the application cannot be read", async ({ path }) => {
  const home = await during(path, async ({ home }) => home);
  const file = join(path, "application-password");
  await rm(file);
  await mkdir(file);
  assert.match(await during(path, async () => "it started").catch(String), /EISDIR/);
  assert.not.ok((await readdir(join(home, "cluster"))).includes("postmaster.pid"));
  await rm(file, { recursive: true });
});

// The last one, as the directory is damaged then.
server(
  "rejects with the reason: wrong or lost password, data of another version or damaged, faulty settings",
  async ({ path }) => {
    const home = await during(path, async ({ home }) => home);
    const files = {
      password: join(path, "password"),
      control: join(home, "cluster", "global", "pg_control"),
      version: join(home, "cluster", "PG_VERSION"),
      settings: join(home, "cluster", "postgresql.conf"),
    };
    const password = await readFile(files.password, "utf8");
    await writeFile(files.password, `${"guessed".repeat(5)}\n`);
    await refuses(path, /^The password in .* is not that of the database in .* Delete that directory/);
    await writeFile(files.password, password);
    const control = await readFile(files.control);
    await writeFile(files.control, control.subarray(0, 100));
    await refuses(
      path,
      /pg_control.*\nCan the user of Postgres read and write .*\? If so, files there are damaged\. Delete that directory/s,
    );
    await writeFile(files.control, control);
    await appendFile(files.settings, "\nno_such_setting = on\n");
    await refuses(path, /unrecognized configuration parameter "no_such_setting"/);
    await writeFile(files.version, "15\n");
    await refuses(path, /was made by Postgres 15, and this is Postgres 18/);
    await writeFile(files.version, "18\n");
    await rm(files.password);
    await refuses(path, /^The password of the database in .* is lost/);
  },
);

const interrupted = suite<Given>("an embedded Postgres whose initdb was interrupted");
interrupted.before(makePath);
interrupted.after(removePath);

interrupted("removes what that has left", async ({ path }) => {
  const home = await during(path, async ({ home }) => home);
  await rm(join(home, "cluster"), { recursive: true });
  await mkdir(join(home, "cluster.new-1", "base"), { recursive: true });
  await writeFile(join(home, "cluster.new-1.password"), "secret");
  await during(path, async () => {});
  assert.equal(
    (await readdir(home)).filter((name) => name.startsWith("cluster")),
    ["cluster"],
  );
});

async function refuses(path: string, words: RegExp): Promise<void> {
  try {
    await during(path, async () => {});
  } catch (failure) {
    if (!(failure instanceof PostgresUnavailable)) throw failure;
    assert.match(failure.message, words);
    return;
  }
  assert.unreachable("it started");
}

server.run();
interrupted.run();

const rootOnly = suite<Given>("an embedded Postgres whose directory only root can enter");
rootOnly.before.each(makePath);
rootOnly.after.each(removePath);

const outsideMessage = "Postgres keeps its files outside of the data directory";
const keepsElsewhere = "keeps its files elsewhere, and starts there again when the directory was deleted";
if (isRoot) {
  rootOnly(keepsElsewhere, async ({ path }) => {
    await chmod(path, 0o700);
    const directory = join(path, "postgres");
    const home = await during(directory, async ({ home, connectionString }) => {
      await query(connectionString, keepName);
      return home;
    });
    try {
      assert.ok(home.startsWith("/var/lib/touchledger/"));
      assert.ok(logged.includes(outsideMessage));
      const kept = await during(directory, ({ connectionString }) => query(connectionString, readName));
      assert.equal(kept, [{ name: "ledger" }]);
      await rm(directory, { recursive: true });
      const missing = await during(directory, (restarted) => {
        assert.is(restarted.home, home);
        return query(restarted.connectionString, readName).then(String, String);
      });
      assert.match(missing, 'relation "kept" does not exist');
      assert.is((await readFile(join(directory, "password"), "utf8")).length > 32, true);
    } finally {
      await rm(home, { recursive: true });
    }
  });
} else {
  rootOnly.skip(`${keepsElsewhere} (runs as root alone)`);
}

rootOnly.run();
