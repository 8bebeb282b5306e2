// time limit: 60 s
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type BackupManifest, backUp, restore } from "../../../../infra/embedded-event-store/maintenance/backup.ts";
import { connectLog, openLogIn } from "../../../support/event-store.ts";
import { startEmbeddedEventStore } from "../../../support/event-store-program.ts";
import { program } from "../../../support/paths.ts";
import {
  all,
  appended,
  errorOf,
  idsOf,
  newStream,
  someEvents,
  temporaryDirectory,
} from "../../event-log/event-log-client.ts";

const silent = (): void => {};
const directory = temporaryDirectory();
const place = (name: string): string => join(directory.path, name);
const store = place("running/event-store");
const running = await startEmbeddedEventStore(place("running"));
const log = connectLog({ EVENTSTORE_URL: running.url, EVENT_STREAM_PREFIX: "" });

const backups = suite("backup of the embedded event store");

backups.after(async () => {
  await log.close();
  await running.kill();
  await directory.remove();
});

/** The ids of all events of a store that nobody runs. */
async function idsIn(path: string): Promise<readonly string[]> {
  const { log: reading, close } = await openLogIn(path);
  return all(reading.readAll("start", Number.MAX_SAFE_INTEGER)).then(idsOf).finally(close);
}

backups("under load has every event that was acknowledged before, and is the log up to its position", async () => {
  let isOver = false;
  const load = (async () => {
    while (!isOver) await appended(log, newStream(), "no_stream", someEvents(20));
  })();
  for (const number of [1, 2, 3]) {
    const before = await appended(log, newStream(), "no_stream", someEvents(500));
    const manifest = await backUp(store, place(`copy-${number}`), silent);
    assert.ok(BigInt(manifest.head) >= before.position.commit);
    assert.equal(await restore(place(`copy-${number}`), place(`restored-${number}`), silent), manifest);
    const logged = idsOf(await all(log.readAll("start", manifest.head)));
    assert.equal(await idsIn(place(`restored-${number}`)), logged);
  }
  isOver = true;
  await load;
});

backups("is the file and its manifest, which others cannot read, and names each step", async () => {
  const steps = new Set<string>();
  await mkdir(place("2026.11"), { mode: 0o755 });
  const manifest = await backUp(store, place("2026.11"), (step, share) => {
    assert.ok(share >= 0 && share <= 1);
    steps.add(step);
  });
  assert.equal((await readdir(place("2026.11"))).sort(), ["data.mdb", "manifest.json"]);
  for (const name of ["data.mdb", "manifest.json"]) {
    assert.is((await stat(place(`2026.11/${name}`))).mode & 0o777, 0o600, name);
  }
  assert.equal(JSON.parse(await readFile(place("2026.11/manifest.json"), "utf8")), manifest);
  assert.equal(
    [...steps].filter((step) => step !== "copying"),
    ["checking", "hashing"],
  );
});

backups("that finds no space says so and leaves no files", async () => {
  // A limit of 16 blocks of 512 bytes for each file fails writes as a full disk does.
  const command = 'ulimit -f 16; exec "$@"';
  const words = ["-c", command, "sh", process.execPath, program, "backup", place("too-large")];
  const env = { ...process.env, DATA_DIR: place("running"), EVENTSTORE_URL: "" };
  const failure = await promisify(execFile)("sh", words, { env }).then(String, (failed) => failed.stderr);
  assert.is(
    failure,
    `The store cannot be copied to ${place("too-large/data.mdb")} (File too large). Is there enough space?\n`,
  );
  assert.equal(await readdir(place("too-large")), []);
});

const reasonOf = async (attempt: Promise<BackupManifest>): Promise<string> => {
  const failure = await errorOf(attempt);
  return failure instanceof Error && failure.name === "BackupFailed" ? failure.message : String(failure);
};

backups("refuses a directory that is not empty, and a missing store", async () => {
  assert.match(await reasonOf(backUp(store, place("2026.11"), silent)), /is not empty/);
  assert.is(
    await reasonOf(backUp(store, "", silent)),
    'The directory "" cannot be made (ENOENT). Name another directory.',
  );
  assert.is(
    await reasonOf(backUp(place("nothing"), place("other"), silent)),
    `There is no event store: ${place("nothing")}/data.mdb is missing. Set DATA_DIR to a directory that has one.`,
  );
  assert.match(await reasonOf(restore(place("2026.11"), store, silent)), /holds an event store already/);
});

backups("that is damaged, cut short or interrupted is not restored, and leaves nothing", async () => {
  const data = await readFile(place("2026.11/data.mdb"));
  const flipped = Buffer.from(data);
  flipped[data.length >> 1] = (data[data.length >> 1] ?? 0) ^ 1;
  for (const [bytes, reason] of [
    [flipped, /is damaged/],
    [data.subarray(0, data.length - 4096), /is damaged/],
  ] as const) {
    await writeFile(place("2026.11/data.mdb"), bytes);
    assert.match(await reasonOf(restore(place("2026.11"), place("never"), silent)), reason);
  }
  await writeFile(place("2026.11/manifest.json"), '{"format":"touchledger backup, format 2"}');
  assert.match(await reasonOf(restore(place("2026.11"), place("never"), silent)), /is no manifest of/);
  await rm(place("2026.11/manifest.json"));
  assert.match(await reasonOf(restore(place("2026.11"), place("never"), silent)), /was interrupted/);
  await mkdir(place("2026.11/manifest.json"));
  assert.match(await reasonOf(restore(place("2026.11"), place("never"), silent)), /cannot be read \(EISDIR\)/);
  assert.equal(
    (await readdir(directory.path)).filter((name) => name.startsWith("never")),
    [],
  );
});

backups.run();
