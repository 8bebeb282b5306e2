// time limit: 120 s
import { randomBytes } from "node:crypto";
import { cp, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as lmdb from "lmdb";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DataDirectoryUnusable } from "../../../infra/data-directory/data-directory.ts";
import { requireSoundSpool } from "../../../infra/spool/check-spool.ts";
import { openSpool } from "../../../infra/spool/spool.ts";
import { probeSpool } from "../../../infra/spool/stored-batches.ts";
import { errorOf, someEvents, temporaryDirectory } from "../event-log/event-log-client.ts";

const page = 4_096;
const batches = 3;
const directory = temporaryDirectory();
const sound = join(directory.path, "sound");
const open = (path: string) => openSpool({ directory: path, limitBytes: 1e7, logId: "log" });
const fileOf = (spool: string) => join(spool, "data.mdb");

const files = suite("the file of the spool");
files.after(() => directory.remove());

files.before(async () => {
  const spool = open(sound);
  for (let count = 0; count < batches + 1; count += 1)
    await spool.write({ stream: `touchpoints-1_${count}`, expected: "no_stream", events: someEvents(30) });
  // So that there are free pages.
  await spool.remove([{ number: 1 }]);
  await spool.close();
});

async function copy(name: string): Promise<string> {
  const path = join(directory.path, name);
  await cp(sound, path, { recursive: true });
  return path;
}

/** Refused in one line and not replaced, or this process can read all batches and write more. */
async function refusedOrSound(path: string): Promise<"refused" | "sound"> {
  const { size } = await stat(fileOf(path));
  const failure = await errorOf(requireSoundSpool(path));
  if (failure !== null) {
    assert.instance(failure, DataDirectoryUnusable, `${path}: ${failure}`);
    assert.match(String(failure), /The spool in \S+ is damaged: its file [^\n]*move the directory away[^\n]*$/);
    assert.is((await stat(fileOf(path))).size, size);
    return "refused";
  }
  const spool = open(path);
  assert.is(spool.depth().batches, batches);
  await spool.write({ stream: "touchpoints-1_more", expected: "no_stream", events: someEvents(30) });
  await spool.close();
  return "sound";
}

files("is read on a full disk, and written only when there is room", async () => {
  const path = await copy("full");
  const before = await readFile(fileOf(path));
  let read = 0;
  const onBatch = (): void => {
    read += 1;
  };
  probeSpool(path, onBatch, { hasRoomFor: () => false });
  assert.is(read, batches);
  assert.ok((await readFile(fileOf(path))).equals(before));
  probeSpool(path, onBatch);
  assert.not.ok((await readFile(fileOf(path))).equals(before));
});

files("is accepted when it is sound, new or empty", async () => {
  await requireSoundSpool(sound);
  await requireSoundSpool(join(directory.path, "new"));
  const empty = await copy("empty");
  await writeFile(fileOf(empty), "");
  await requireSoundSpool(empty);
  const spool = open(sound);
  assert.is(spool.depth().batches, batches);
  await spool.close();
});

const olderFormat = "touchledger spool, format 1";

/** A closed spool with the marker of an older format. */
async function olderSpool(name: string, batchCount: number): Promise<string> {
  const path = join(directory.path, name);
  const spool = open(path);
  for (let count = 0; count < batchCount; count += 1)
    await spool.write({ stream: `touchpoints-1_${count}`, expected: "no_stream", events: someEvents(1) });
  const marker = lmdb.open<string, string>({ path, maxDbs: 2, encoding: "json" });
  await marker.put("format", olderFormat);
  await Promise.all([spool.close(), marker.close()]);
  return path;
}

files("of another version is refused with batches", async () => {
  const older = await olderSpool("older", 1);
  assert.throws(
    () => open(older),
    /holds "touchledger spool, format 1", this version reads .* until its clicks are in the log/,
  );
});

files("of another version is taken over when it is empty", async () => {
  const older = await olderSpool("older-empty", 0);
  const taken = open(older);
  await taken.write({ stream: "touchpoints-1_1", expected: "no_stream", events: someEvents(1) });
  const marker = lmdb.open<string, string>({ path: older, maxDbs: 2, encoding: "json" });
  assert.is(marker.get("format"), "touchledger spool, format 2");
  await Promise.all([taken.close(), marker.close()]);
  await requireSoundSpool(older);
  const again = open(older);
  assert.is(again.depth().batches, 1);
  await again.close();
});

files("is refused when it was cut short, unless only free pages are missing", async () => {
  const { size } = await stat(fileOf(sound));
  for (let length = size - page; length > 0; length -= page) {
    const path = await copy(`cut-${length}`);
    await truncate(fileOf(path), length);
    const outcome = await refusedOrSound(path);
    if (length <= size / 2) assert.is(outcome, "refused", path);
  }
});

files("is refused when one bit of a batch has changed", async () => {
  const path = await copy("flipped");
  const bytes = await readFile(fileOf(path));
  const at = bytes.lastIndexOf("index");
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(fileOf(path), bytes);
  assert.is(await refusedOrSound(path), "refused");
});

files("is refused, or has all of its batches, when any one page is overwritten", async () => {
  const bytes = await readFile(fileOf(sound));
  const pages = bytes.length / page;
  let found = 0;
  for (let number = 0; number < pages; number += 1) {
    const path = await copy(`page-${number}`);
    await writeFile(fileOf(path), Buffer.from(bytes).fill(randomBytes(page), number * page, (number + 1) * page));
    if ((await refusedOrSound(path)) === "refused") found += 1;
  }
  assert.ok(found > 2, `${found} of ${pages} pages`);
});

files.run();
