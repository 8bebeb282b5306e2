import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sha256 } from "../../commands/derived-ids.ts";
import { appendFile, FileDamaged, readFile } from "../../commands/file-chunks.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { type StreamName, uploadFileStream } from "../../domain/streams.ts";
import { operatorCause } from "../examples/cause.ts";
import { startTestLog } from "../support/event-store.ts";

const { log, close } = await startTestLog();
const kib256 = 256 * 1024;
const hashOf = (bytes: Uint8Array): string => sha256(bytes).toString("hex");
/** Bytes no two chunks of which are alike. */
const fileOf = (size: number): Buffer => {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 1) bytes[at] = (at * 31 + (at >> 8) * 7 + (at >> 16)) % 256;
  return bytes;
};
let files = 0;
function freshDestination() {
  files += 1;
  return { stream: uploadFileStream(String(files)), idsFrom: `command ${files}`, cause: operatorCause };
}
async function chunksOf(stream: StreamName): Promise<RecordedEvent[]> {
  const chunks: RecordedEvent[] = [];
  for await (const event of log.read(stream)) chunks.push(event);
  return chunks;
}

const chunks = suite("the bytes of a file in the log");
chunks.after(close);

for (const [size, sizes] of [
  [0, []],
  [1, [1]],
  [kib256 - 1, [kib256 - 1]],
  [kib256, [kib256]],
  [kib256 + 1, [kib256, 1]],
  [2 * kib256 - 1, [kib256, kib256 - 1]],
  [2 * kib256, [kib256, kib256]],
  [2 * kib256 + 1, [kib256, kib256, 1]],
] as const) {
  chunks(`${size} of them are ${sizes.length} chunks, and are read as they were`, async () => {
    const destination = freshDestination();
    const file = fileOf(size);
    await appendFile(log, destination, file);
    const stored = await chunksOf(destination.stream);
    assert.equal(
      stored.map(({ type, data, revision }) => [type, (data as Uint8Array).length, revision]),
      sizes.map((length, index) => ["FileChunk", length, BigInt(index)]),
    );
    const read = await readFile(log, destination.stream, hashOf(file));
    assert.ok(read.equals(file));
  });
}

chunks("appended twice are stored once", async () => {
  const destination = freshDestination();
  const file = fileOf(3 * kib256 + 5);
  await appendFile(log, destination, file);
  await appendFile(log, destination, file);
  await Promise.all([appendFile(log, destination, file), appendFile(log, destination, file)]);
  assert.is((await chunksOf(destination.stream)).length, 4);
  assert.ok((await readFile(log, destination.stream, hashOf(file))).equals(file));
});

chunks("broken off anywhere are made whole by the same command", async () => {
  const file = fileOf(3 * kib256 + 5);
  for (const done of [0, 1, 2, 3]) {
    const destination = freshDestination();
    let appends = 0;
    const breaking: typeof log.append = async (...call) => {
      if (appends === done) throw new Error("killed");
      appends += 1;
      return log.append(...call);
    };
    await appendFile({ ...log, append: breaking }, destination, file).catch(() => undefined);
    assert.is((await chunksOf(destination.stream)).length, done);
    await appendFile(log, destination, file);
    assert.is((await chunksOf(destination.stream)).length, 4);
    assert.ok((await readFile(log, destination.stream, hashOf(file))).equals(file));
  }
});

chunks("never follow those of another command", async () => {
  const destination = freshDestination();
  const file = fileOf(10);
  await appendFile(log, destination, file);
  const other = { ...destination, idsFrom: "another command" };
  assert.instance(await appendFile(log, other, fileOf(20)).catch((failure) => failure), FileDamaged);
  assert.ok((await readFile(log, destination.stream, hashOf(file))).equals(file));
});

chunks("that differ from those received are not returned", async () => {
  const destination = freshDestination();
  const file = fileOf(kib256 + 1);
  await appendFile(log, destination, file.subarray(0, kib256));
  const failure = await readFile(log, destination.stream, hashOf(file)).catch((reason) => reason);
  assert.instance(failure, FileDamaged);
  assert.instance(await readFile(log, "uploadFile-none", hashOf(file)).catch((reason) => reason), FileDamaged);
});

chunks.run();
