// time limit: 90 s
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { logClaimsStream } from "../../../domain/streams.ts";
import { logCommand } from "../../../infra/cli/commands/log.ts";
import { openDataDirectory } from "../../../infra/data-directory/data-directory.ts";
import { openEventStoreInThisThread } from "../../../infra/embedded-event-store/event-store.ts";
import { copyLog } from "../../../infra/event-log/copy-log.ts";
import { eventStoreUrl } from "../../../infra/event-log/event-store-access.ts";
import { storedEvents } from "../../golden/log/recorded-log.ts";
import { temporaryDirectory } from "../../support/application-process.ts";
import { startBreakableProxy } from "../../support/breakable-proxy.ts";
import { type CommandOutput, runCommand, runProgram } from "../../support/command-line.ts";
import { withEnvironment } from "../../support/environment.ts";
import { startEmbeddedLog, startTestLog } from "../../support/event-store.ts";
import { program } from "../../support/paths.ts";
import { eventsOf, kept, logOf, storedLogAt } from "../event-log/stored-logs.ts";

/** Claims are left out. */
const recorded = storedEvents().filter(({ stream }) => stream !== logClaimsStream);
const { length: count } = recorded;

const test = suite<{ path: string; source: string; remove(): Promise<void> }>("touchledger log copy");
test.before(async (world) => {
  const { path, remove } = await temporaryDirectory();
  Object.assign(world, { path, source: join(path, "source"), remove });
  await inStoreOf(world.source, (log) => copyLog(logOf(recorded), log, () => undefined));
});
test.after(({ remove }) => remove());

test("is killed in the middle, and continues there", async ({ source }) => {
  const target = await startTestLog();
  const { EVENTSTORE_URL, EVENT_STREAM_PREFIX } = target.environment;
  const way = await startBreakableProxy(EVENTSTORE_URL);
  const words = (url: string) => ["log", "copy", "--to", url, "--to-prefix", EVENT_STREAM_PREFIX];
  const environment = { DATA_DIR: source, EVENTSTORE_URL: "" };
  const log = storedLogAt(target.environment);

  const copying = spawn(process.execPath, [program, ...words(way.connectionString)], {
    env: { ...process.env, ...environment },
    stdio: "ignore",
  });
  let seen = 0;
  for await (const batch of target.log.subscribe({ from: "start" })) {
    seen += batch.length;
    if (seen >= 20) break;
  }
  way.stall();
  const gone = once(copying, "exit");
  copying.kill("SIGKILL");
  assert.equal(await gone, [null, "SIGKILL"]);
  await way.close();
  const { length } = await eventsOf(log);
  assert.ok(length >= 20 && length < recorded.length, String(length));

  const rest = await runProgram(words(EVENTSTORE_URL), environment);
  assert.equal([rest.code, rest.err], [0, ""]);
  assert.match(
    rest.out,
    new RegExp(`^Copied ${recorded.length - length} events\\. .* position ${count} of the source: ${count} events\\.`),
  );
  assert.equal((await eventsOf(log)).map(kept), recorded.map(kept));
  await log.close();
  await target.close();
});

test("makes the data directory of an instance, and waits for none that runs on it", async ({ path, source }) => {
  const target = join(path, "target");
  const to = () => copy(source, ["--to", target]);
  assert.match((await to()).out, new RegExp(`^Copied ${count} events\\.`));
  assert.match((await to()).out, /^Copied 0 events\./);
  await inStoreOf(target, async (log) => {
    assert.equal((await eventsOf(log)).map(kept), recorded.map(kept));
  });
  const directory = await openDataDirectory(target);
  assert.match((await to()).failure, /: The data directory \S+ is in use by process \d+\./);
  await directory.close();
});

test("is refused in one line", async ({ path, source }) => {
  const secure = await startEmbeddedLog();
  for (const [words, message] of [
    [
      ["--to", source],
      /^LogCopyRefused: Source and target are the same data directory\. Name another one with --to\.$/,
    ],
    [
      ["--to", "esdb://localhost:1?tls=false"],
      /^StartupError: The target cannot be used\. Is --to right, and does it run\? .*$/,
    ],
    [
      ["--to", secure.environment.EVENTSTORE_URL.replace(":secret@", ":guessed@")],
      /^StartupError: The target cannot be used\. It needs a user, or refuses the password: esdb:\/\/user:password@host:2113 in --to\. .*$/,
    ],
    [["--to", ""], /argument '' is invalid\. It is empty\./],
    [["--to", "http://localhost:1"], /It must be a directory, or start with esdb:\/\/, /],
    [["--to", join(path, "other"), "--to-prefix", "a-b"], /It may hold at most 40 letters/],
    [["--to", join(path, "other"), "--to-prefix", "a".repeat(41)], /It may hold at most 40 letters/],
    [[], /required option '--to <address>' not specified/],
  ] as const) {
    const { failure, out } = await copy(source, words);
    assert.match(failure, message);
    assert.is(out, "");
  }
  await secure.close();
});

test.run();

/** Copies the log of a data directory in this process. */
function copy(dataDirectory: string, words: readonly string[]): Promise<CommandOutput> {
  const variables = { DATA_DIR: dataDirectory, EVENTSTORE_URL: undefined };
  return withEnvironment(variables, () => runCommand(logCommand(), ["copy", ...words]));
}

/** Runs the embedded event store of a data directory. */
async function inStoreOf(
  directory: string,
  work: (log: ReturnType<typeof storedLogAt>) => Promise<unknown>,
): Promise<void> {
  const credential = { username: "touchledger", password: "a-password-of-the-test-0123456789" };
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "event-store-password"), credential.password);
  const store = await openEventStoreInThisThread({ directory: join(directory, "event-store"), ...credential });
  const log = storedLogAt({ EVENTSTORE_URL: eventStoreUrl({ ...store, ...credential }), EVENT_STREAM_PREFIX: "" });
  await work(log);
  await log.close();
  await store.close();
}
