import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StreamName } from "../../../domain/streams.ts";
import type { EventToAppend, ExpectedRevision } from "../../../infra/event-log/event-log.ts";
import { encodeBatch } from "../../../infra/spool/batch-content.ts";
import { openSpool, SpoolFull } from "../../../infra/spool/spool.ts";
import { SpoolOfAnotherLog } from "../../../infra/spool/stored-batches.ts";
import { metadata, temporaryDirectory } from "../event-log/event-log-client.ts";

const logId = randomUUID();
const plenty = 1024 * 1024;
const clicks = (count: number): readonly EventToAppend[] =>
  Array.from({ length: count }, () => ({ id: randomUUID(), type: "ClickRecorded", data: { appId: 1 }, metadata }));
const batch = (stream: StreamName, expected: ExpectedRevision, events = clicks(1)) => ({ stream, expected, events });
const encodedSize = (content: ReturnType<typeof batch>): number => encodeBatch({ at: Date.now(), ...content }).length;

const spools = suite("the spool");
const directories: ReturnType<typeof temporaryDirectory>[] = [];

function freshDirectory(): string {
  const directory = temporaryDirectory();
  directories.push(directory);
  return `${directory.path}/spool`;
}

spools("gives back each stream's batches in order, with the places they were written for", async () => {
  const spool = openSpool({ directory: freshDirectory(), limitBytes: plenty, logId });
  const [first, other, second] = [batch("app-a", "no_stream", clicks(2)), batch("app-b", 7n), batch("app-a", 1n)];
  await Promise.all([spool.write(first), spool.write(other), spool.write(second)]);
  assert.equal(spool.oldest("app-a"), [
    { number: 1, ...first },
    { number: 3, ...second },
  ]);
  assert.equal(spool.oldest("app-b"), [{ number: 2, ...other }]);
  assert.equal(
    [spool.streams(), spool.holds("app-a"), spool.holds("app-c"), spool.depth().events],
    [["app-a", "app-b"], true, false, 4],
  );
  await spool.close();
});

spools("gives back about 4 MiB of a stream at a time", async () => {
  const spool = openSpool({ directory: freshDirectory(), limitBytes: 10 * plenty, logId });
  const large = clicks(1).map((event) => ({ ...event, data: { pad: "x".repeat(900 * 1024) } }));
  for (let count = 0; count < 6; count += 1) await spool.write(batch("app-a", "no_stream", large));
  assert.is(spool.oldest("app-a").length, 5);
  await spool.close();
});

spools("gives back at most 512 batches of a stream at a time", async () => {
  const spool = openSpool({ directory: freshDirectory(), limitBytes: plenty, logId });
  await Promise.all(Array.from({ length: 513 }, () => spool.write(batch("app-a", "no_stream"))));
  const page = spool.oldest("app-a");
  assert.equal([page.length, page.at(-1)?.number], [512, 512]);
  await spool.remove(page);
  assert.equal(
    spool.oldest("app-a").map(({ number }) => number),
    [513],
  );
  await spool.close();
});

spools("drains while batches are removed", async () => {
  const spool = openSpool({ directory: freshDirectory(), limitBytes: plenty, logId });
  await spool.write(batch("app-a", "no_stream"));
  assert.is(spool.isDraining(), false);
  await spool.remove(spool.oldest("app-a"));
  assert.is(spool.isDraining(), true);
  await spool.close();
});

spools("is closed to other users", async () => {
  const directory = freshDirectory();
  await openSpool({ directory, limitBytes: plenty, logId }).close();
  assert.is(statSync(directory).mode & 0o777, 0o700);
});

spools("keeps waiting batches over a restart, and counts them", async () => {
  const directory = freshDirectory();
  const before = openSpool({ directory, limitBytes: plenty, logId });
  const batches = [batch("app-a", "no_stream"), batch("app-a", 0n), batch("app-b", "no_stream", clicks(3))];
  for (const each of batches) await before.write(each);
  await before.remove(before.oldest("app-a").slice(0, 1));
  const depth = before.depth();
  await before.close();

  const after = openSpool({ directory, limitBytes: plenty, logId });
  assert.equal(after.depth(), depth);
  assert.equal(
    [...after.oldest("app-a"), ...after.oldest("app-b")],
    [
      { number: 2, ...batches[1] },
      { number: 3, ...batches[2] },
    ],
  );
  await after.write(batch("app-a", 1n));
  assert.is(after.oldest("app-a").at(-1)?.number, 4);
  await after.remove([...after.oldest("app-a"), ...after.oldest("app-b")]);
  assert.equal(after.depth(), { batches: 0, events: 0, bytes: 0, oldestAt: null });
  assert.ok(after.isEmpty());
  await after.close();
});

spools("goes on with the numbers of interleaved streams after a restart", async () => {
  const directory = freshDirectory();
  const before = openSpool({ directory, limitBytes: plenty, logId });
  const [one, other, two, three] = [
    batch("app-a", "no_stream"),
    batch("app-b", "no_stream"),
    batch("app-a", 0n),
    batch("app-a", 1n),
  ];
  for (const each of [one, other, two]) await before.write(each);
  await before.close();
  const after = openSpool({ directory, limitBytes: plenty, logId });
  await after.write(three);
  assert.equal(
    after.oldest("app-a").map(({ events }) => events),
    [one, two, three].map(({ events }) => events),
  );
  await after.close();
});

spools("takes nothing while the disk is nearly full", async () => {
  const options = { directory: freshDirectory(), limitBytes: plenty, logId };
  const spool = openSpool({ ...options, reserveBytes: Number.MAX_SAFE_INTEGER });
  const refused = await spool.write(batch("app-a", "no_stream")).catch((error: unknown) => error);
  assert.equal([refused instanceof SpoolFull, spool.isEmpty()], [true, true]);
  await spool.close();
});

for (const [room, taken] of [
  [-1, 2],
  [0, 3],
  [1, 3],
] as const) {
  spools(`takes batches to its limit and not a byte more (${room} bytes beside three)`, async () => {
    const three = [batch("app-a", "no_stream"), batch("app-a", 0n), batch("app-a", 1n)];
    const limitBytes = three.reduce<number>((sum, each) => sum + encodedSize(each), room);
    const spool = openSpool({ directory: freshDirectory(), limitBytes, logId });
    const outcomes = await Promise.allSettled([...three, batch("app-a", 2n)].map((each) => spool.write(each)));
    assert.equal(
      outcomes.map((outcome) => (outcome.status === "fulfilled" ? "taken" : outcome.reason instanceof SpoolFull)),
      [0, 1, 2, 3].map((index) => (index < taken ? "taken" : true)),
    );
    assert.is(spool.depth().batches, taken);

    await spool.remove(spool.oldest("app-a").slice(0, 1));
    await spool.write(batch("app-a", 2n));
    assert.is(spool.depth().batches, taken);
    await spool.close();
  });
}

spools("has the room of a batch again that could not be stored", async () => {
  const stored = batch("app-a", "no_stream");
  const spool = openSpool({ directory: freshDirectory(), limitBytes: encodedSize(stored), logId });
  // LMDB refuses a key of that length.
  const refused = await spool.write(batch(`app-${"a".repeat(10_000)}`, "no_stream")).catch((error: unknown) => error);
  assert.is(refused instanceof SpoolFull, false);
  await spool.write(stored);
  assert.equal([spool.streams(), spool.depth().batches], [["app-a"], 1]);
  await spool.close();
});

spools("moves a stream's batches to a new stream", async () => {
  const spool = openSpool({ directory: freshDirectory(), limitBytes: plenty, logId });
  const batches = [batch("app-a", 4n, clicks(2)), batch("app-a", 6n, clicks(3)), batch("app-a", 9n)];
  for (const each of batches) await spool.write(each);
  await spool.move("app-a", "app-b");
  const expected: readonly ExpectedRevision[] = ["no_stream", 1n, 4n];
  assert.equal(
    spool.oldest("app-b"),
    batches.map(({ events }, index) => ({ number: index + 1, stream: "app-b", expected: expected[index], events })),
  );
  assert.equal([spool.streams(), spool.depth().events], [["app-b"], 6]);
  await spool.close();
});

spools("refuses to be opened for another log while clicks wait in it", async () => {
  const directory = freshDirectory();
  const spool = openSpool({ directory, limitBytes: plenty, logId });
  await spool.write(batch("app-a", "no_stream"));
  await spool.close();
  assert.throws(
    () => openSpool({ directory, limitBytes: plenty, logId: randomUUID() }),
    (error: unknown) => error instanceof SpoolOfAnotherLog && error.message.includes("1 clicks"),
  );
});

spools("belongs to the log that it was last opened for, once no clicks of another one wait in it", async () => {
  const directory = freshDirectory();
  const former = openSpool({ directory, limitBytes: plenty, logId });
  await former.write(batch("app-a", "no_stream"));
  await former.remove(former.oldest("app-a"));
  await former.close();
  const current = openSpool({ directory, limitBytes: plenty, logId: randomUUID() });
  await current.write(batch("app-a", "no_stream"));
  await current.close();
  assert.throws(
    () => openSpool({ directory, limitBytes: plenty, logId }),
    (error: unknown) => error instanceof SpoolOfAnotherLog,
  );
});

spools.after(async () => {
  for (const directory of directories) await directory.remove();
});
spools.run();
