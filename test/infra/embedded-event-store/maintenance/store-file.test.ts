// time limit: 30 s
import { randomUUID } from "node:crypto";
import { cp, mkdir, open as openFile, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as lmdb from "lmdb";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DataDirectoryUnusable } from "../../../../infra/data-directory/data-directory.ts";
import {
  openEventStoreInThisThread,
  startEmbeddedEventStore,
} from "../../../../infra/embedded-event-store/event-store.ts";
import { checkStoreApart, requireWholeStore } from "../../../../infra/embedded-event-store/maintenance/store-file.ts";
import { Storage } from "../../../../infra/embedded-event-store/storage.ts";
import { Writer } from "../../../../infra/embedded-event-store/writer.ts";
import { credential } from "../../../support/event-store.ts";
import { errorOf, temporaryDirectory } from "../../event-log/event-log-client.ts";

const PAGE = 4_096;
const directory = temporaryDirectory();
const sound = join(directory.path, "sound");
const fileOf = (store: string) => join(store, "data.mdb");

const files = suite("embedded event store: its file");
files.after(() => directory.remove());

const thing = () => ({
  id: randomUUID(),
  type: "Thing",
  isJson: false,
  data: Buffer.alloc(3_000),
  metadata: Buffer.alloc(0),
});

files.before(async () => {
  const storage = new Storage(sound);
  const writer = new Writer(storage, { hasRoomFor: () => true }, () => {});
  for (let count = 0; count < 50; count += 1) await writer.append(`stream-${count}`, "no_stream", [thing(), thing()]);
  await storage.close();
});

async function copy(name: string): Promise<string> {
  const path = join(directory.path, name);
  await cp(sound, path, { recursive: true });
  return path;
}

const start = (path: string) => openEventStoreInThisThread({ directory: path, ...credential });

files("that was cut short is refused at the start with one clear error, and is left as it is", async () => {
  const { size } = await stat(fileOf(sound));
  for (const length of [1, PAGE, 2 * PAGE - 1, 2 * PAGE, PAGE * Math.floor(size / PAGE / 2), size - PAGE, size - 1]) {
    const path = await copy(`cut-${length}`);
    await truncate(fileOf(path), length);
    for (const opened of [openEventStoreInThisThread, startEmbeddedEventStore]) {
      const failure = await errorOf(opened({ directory: path, ...credential }));
      assert.instance(failure, DataDirectoryUnusable, `${length} of ${size} bytes: ${failure}`);
      assert.match(String(failure), `The event store in ${path} is damaged`);
    }
    assert.instance(await errorOf(requireWholeStore(path)), DataDirectoryUnusable);
    assert.is((await stat(fileOf(path))).size, length);
  }
});

files("of another format is refused by its name, and is not called damaged", async () => {
  const path = await copy("older");
  const marker = lmdb.open<string, string>({ path, noSubdir: false, maxDbs: 4, encoding: "json" });
  await marker.put("format", "touchledger event store, format 1");
  await marker.close();
  const options = { directory: path, ...credential };
  for (const open of [
    () => openEventStoreInThisThread(options),
    () => startEmbeddedEventStore(options),
    () => checkStoreApart(path),
  ]) {
    const failure = await errorOf(open());
    assert.instance(failure, DataDirectoryUnusable);
    assert.match(String(failure), /holds "touchledger event store, format 1", this version reads .* that wrote it\.$/);
  }
});

files("may end before free pages, which it then gets", async () => {
  const path = await copy("free");
  const { size } = await stat(fileOf(path));
  // As if the last transaction had used a page and freed it.
  const file = await openFile(fileOf(path), "r+");
  for (const meta of [0, PAGE]) {
    const last = Buffer.alloc(8);
    await file.read(last, 0, 8, meta + 144);
    last.writeBigUInt64LE(last.readBigUInt64LE() + 1n);
    await file.write(last, 0, 8, meta + 144);
  }
  await file.close();
  await requireWholeStore(path);
  assert.is((await stat(fileOf(path))).size, size);
  const store = await start(path);
  await store.close();
  assert.ok((await stat(fileOf(path))).size >= size + PAGE);
});

files("that is gone or empty is begun anew only where no store has run", async () => {
  const path = join(directory.path, "begun");
  await mkdir(path);
  await writeFile(fileOf(path), "");
  await (await start(path)).close();
  const refusal = /^DataDirectoryUnusable: The event store in \S+ is damaged: its file is empty\. Restore a backup/;
  await writeFile(fileOf(path), "");
  assert.match(String(await errorOf(start(path))), refusal);
  await rm(fileOf(path));
  assert.match(String(await errorOf(start(path))), refusal);
});

files("that is whole starts, as one that runs does", async () => {
  const { size } = await stat(fileOf(sound));
  const path = await copy("whole");
  const store = await start(path);
  await requireWholeStore(path);
  await store.close();
  assert.equal(
    (await readFile(fileOf(path))).subarray(2 * PAGE, size),
    (await readFile(fileOf(sound))).subarray(2 * PAGE),
  );
});

files.run();
