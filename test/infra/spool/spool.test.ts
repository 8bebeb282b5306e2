import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { EventToAppend, ExpectedRevision } from "../../../infra/event-log/event-log.ts";
import { encodeBatch, openSpool, SpoolFull, SpoolOfAnotherLog } from "../../../infra/spool/spool.ts";
import { metadata, temporaryDirectory } from "../event-log/event-log-client.ts";

const logId = randomUUID();
const plenty = 1024 * 1024;
const clicks = (count: number): readonly EventToAppend[] =>
  Array.from({ length: count }, () => ({ id: randomUUID(), type: "ClickRecorded", data: { appId: 1 }, metadata }));
const batch = (stream: string, expected: ExpectedRevision, events = clicks(1)) => ({ stream, expected, events });
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
  const [first, other, second] = [batch("a", "no_stream", clicks(2)), batch("b", 7n), batch("a", 1n)];
  await Promise.all([spool.write(first), spool.write(other), spool.write(second)]);
  assert.equal(spool.oldest("a"), [
    { number: 1, ...first },
    { number: 3, ...second },
  ]);
  assert.equal(spool.oldest("b"), [{ number: 2, ...other }]);
  assert.equal(
    [spool.streams(), spool.holds("a"), spool.holds("c"), spool.depth().events],
    [["a", "b"], true, false, 4],
  );
  await spool.close();
});

spools("keeps what waits over a restart, and counts it", async () => {
  const directory = freshDirectory();
  const before = openSpool({ directory, limitBytes: plenty, logId });
  const batches = [batch("a", "no_stream"), batch("a", 0n), batch("b", "no_stream", clicks(3))];
  for (const each of batches) await before.write(each);
  await before.remove(before.oldest("a").slice(0, 1));
  const depth = before.depth();
  await before.close();

  const after = openSpool({ directory, limitBytes: plenty, logId });
  assert.equal(after.depth(), depth);
  assert.equal(
    [...after.oldest("a"), ...after.oldest("b")],
    [
      { number: 2, ...batches[1] },
      { number: 3, ...batches[2] },
    ],
  );
  await after.write(batch("a", 1n));
  assert.is(after.oldest("a").at(-1)?.number, 4);
  await after.remove([...after.oldest("a"), ...after.oldest("b")]);
  assert.equal(after.depth(), { batches: 0, events: 0, bytes: 0, oldestAt: null });
  assert.ok(after.isEmpty());
  await after.close();
});

for (const [room, taken] of [
  [-1, 2],
  [0, 3],
  [1, 3],
] as const) {
  spools(`takes batches to its limit and not a byte more (${room} bytes beside three)`, async () => {
    const three = [batch("a", "no_stream"), batch("a", 0n), batch("a", 1n)];
    const limitBytes = three.reduce<number>((sum, each) => sum + encodedSize(each), room);
    const spool = openSpool({ directory: freshDirectory(), limitBytes, logId });
    const outcomes = await Promise.allSettled([...three, batch("a", 2n)].map((each) => spool.write(each)));
    assert.equal(
      outcomes.map((outcome) => (outcome.status === "fulfilled" ? "taken" : outcome.reason instanceof SpoolFull)),
      [0, 1, 2, 3].map((index) => (index < taken ? "taken" : true)),
    );
    assert.is(spool.depth().batches, taken);

    await spool.remove(spool.oldest("a").slice(0, 1));
    await spool.write(batch("a", 2n));
    assert.is(spool.depth().batches, taken);
    await spool.close();
  });
}

spools("gives a stream's batches to a stream that is not there yet", async () => {
  const spool = openSpool({ directory: freshDirectory(), limitBytes: plenty, logId });
  const batches = [batch("a", 4n, clicks(2)), batch("a", 6n, clicks(3)), batch("a", 9n)];
  for (const each of batches) await spool.write(each);
  await spool.move("a", "b");
  const expected: readonly ExpectedRevision[] = ["no_stream", 1n, 4n];
  assert.equal(
    spool.oldest("b"),
    batches.map(({ events }, index) => ({ number: index + 1, stream: "b", expected: expected[index], events })),
  );
  assert.equal([spool.streams(), spool.depth().events], [["b"], 6]);
  await spool.close();
});

spools("refuses to be opened for another log while clicks wait in it", async () => {
  const directory = freshDirectory();
  const spool = openSpool({ directory, limitBytes: plenty, logId });
  await spool.write(batch("a", "no_stream"));
  await spool.close();
  assert.throws(
    () => openSpool({ directory, limitBytes: plenty, logId: randomUUID() }),
    (error: unknown) => error instanceof SpoolOfAnotherLog && error.message.includes("1 clicks"),
  );
});

spools.after(async () => {
  for (const directory of directories) await directory.remove();
});
spools.run();
