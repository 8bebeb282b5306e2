import { createHash, randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { windowEvents } from "../../../infra/embedded-event-store/idempotency-window.ts";
import type { ProposedEvent } from "../../../infra/embedded-event-store/proposed-event.ts";
import { Storage } from "../../../infra/embedded-event-store/storage.ts";
import { AppendExpired, Writer } from "../../../infra/embedded-event-store/writer.ts";
import { errorOf, temporaryDirectory } from "../event-log/event-log-client.ts";

const directory = temporaryDirectory();
const storage = new Storage(directory.path);
const committed: string[][] = [];
const commits: number[] = [];
const commit = storage.commit.bind(storage);
storage.commit = async (changes) => {
  commits.push(changes.events.length);
  await commit(changes);
};
const roomy = { hasRoomFor: () => true };
const writer = new Writer(storage, roomy, (streams) => committed.push([...streams]));

const writing = suite("embedded event store: writer");

const events = (count: number, bytes = 10): ProposedEvent[] =>
  Array.from({ length: count }, () => ({
    id: randomUUID(),
    type: "Thing",
    isJson: false,
    data: Buffer.alloc(bytes),
    metadata: Buffer.alloc(0),
  }));

writing("writes everything that waits in one commit, and reports its streams", async () => {
  commits.length = 0;
  committed.length = 0;
  const names = Array.from({ length: 50 }, (_, index) => `together-${index}`);
  await Promise.all(names.map((name) => writer.append(name, "no_stream", events(2))));
  assert.equal(commits, [100]);
  assert.equal(committed, [names]);
});

writing("has one commit in flight, and puts later appends into the next", async () => {
  commits.length = 0;
  const first = writer.append("flight", "no_stream", events(1));
  await new Promise((resolve) => setImmediate(resolve));
  const rest = Array.from({ length: 20 }, (_, index) => writer.append("flight", index, events(1)));
  const answers = await Promise.all([first, ...rest]);
  assert.equal(
    answers.map((answer) => answer.kind === "appended" && answer.revision),
    Array.from({ length: 21 }, (_, index) => index),
  );
  assert.equal(commits, [1, 20]);
});

writing("does not overwrite the events of a process that has taken over the directory", async () => {
  const shared = temporaryDirectory();
  const former = new Storage(shared.path);
  const writerOf = (opened: Storage) => new Writer(opened, roomy, () => undefined);
  await writerOf(former).append("first", "no_stream", events(1));
  const current = new Storage(shared.path);
  const acknowledged = await writerOf(current).append("second", "no_stream", events(1));
  assert.equal(acknowledged, { kind: "appended", revision: 0, position: 2 });
  const stored = current.event(2);
  const late = await errorOf(writerOf(former).append("third", "no_stream", events(1)));
  assert.match(String(late), "another process has written to this store, at position 2");
  assert.equal([current.event(2), current.stream("third")], [stored, null]);
  await Promise.all([former.close(), current.close()]);
  await shared.remove();
});

writing("keeps commits to a few megabytes", async () => {
  commits.length = 0;
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => writer.append(`large-${index}`, "any", events(1, 1_000_000))),
  );
  assert.equal(commits, [5, 5, 2]);
});

writing("writes an append without a revision once, as long as its events are among the last of the log", async () => {
  const repeated = events(1);
  const large = events(1_500);
  const written = await writer.append("window", "any", repeated);
  await writer.append("window-large", "any", large);
  assert.equal(await writer.append("window-large", "any", large), {
    kind: "appended",
    revision: 1_499,
    position: storage.head,
  });
  let left = windowEvents - 1 - large.length;
  for (; left > 0; left -= 5_000) await writer.append("window-others", "any", events(Math.min(left, 5_000)));
  assert.equal(await writer.append("window", "any", repeated), written);
  await writer.append("window-others", "any", events(1));
  const again = await writer.append("window", "any", repeated);
  assert.equal(again, { kind: "appended", revision: 1, position: storage.head });
  // A store that is opened again reads the window from the log.
  const reopened = new Writer(storage, roomy, () => {});
  assert.equal(await reopened.append("window", "any", repeated), again);
});

writing("acknowledges no append of a failed commit, and continues without it", async () => {
  await writer.append("failing", "no_stream", events(3));
  const head = storage.head;
  const lost = events(2);
  const working = storage.commit;
  storage.commit = () => Promise.reject(new Error("the disk is full"));
  const failed = await Promise.all([
    errorOf(writer.append("failing", 2, lost)),
    errorOf(writer.append("failing-too", "any", lost)),
  ]);
  storage.commit = working;
  assert.equal(failed.map(String), ["Error: the disk is full", "Error: the disk is full"]);
  assert.is(storage.head, head);
  assert.is(storage.stream("failing-too"), null);
  const again = await writer.append("failing", 2, lost);
  assert.equal(again, { kind: "appended", revision: 4, position: head + 2 });
  assert.equal(await writer.append("failing-too", "any", lost), { kind: "appended", revision: 1, position: head + 4 });
});

writing("writes nothing of an append whose deadline passes while it waits, and everything behind it", async () => {
  commits.length = 0;
  const first = writer.append("waiting", "no_stream", events(1));
  await new Promise((resolve) => setImmediate(resolve));
  const late = errorOf(writer.append("waiting", 0, events(1), Date.now() - 1));
  const behind = writer.append("waiting", 0, events(2), Date.now() + 60_000);
  assert.instance(await late, AppendExpired);
  assert.equal(
    (await Promise.all([first, behind])).map((answer) => answer.kind === "appended" && answer.revision),
    [0, 2],
  );
  assert.equal(commits, [1, 2]);
});

writing("keeps streams with long names apart", async () => {
  const name = "ü".repeat(3_000);
  await writer.append(`${name}a`, "no_stream", events(1));
  await writer.append(`${name}b`, "no_stream", events(2));
  assert.equal([storage.stream(`${name}a`)?.lastRevision, storage.stream(`${name}b`)?.lastRevision], [0, 1]);
});

writing("distinguishes streams with long names from those whose names are their keys", async () => {
  const long = "x".repeat(501);
  const digest = createHash("sha256").update(long).digest("hex");
  await writer.append(long, "no_stream", events(1));
  await writer.append(`sha256\0${digest}`, "no_stream", events(2));
  await writer.append("x".repeat(500), "no_stream", events(3));
  const names = [long, `sha256\0${digest}`, "x".repeat(500)];
  assert.equal(
    names.map((name) => storage.stream(name)?.lastRevision),
    [0, 1, 2],
  );
});

writing.after(async () => {
  await storage.close();
  await directory.remove();
});

writing.run();
