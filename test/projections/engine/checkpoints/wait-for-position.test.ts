import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PositionOrStart } from "../../../../projections/engine/checkpoints/positions.ts";
import {
  createPositionWaiters,
  readablePositions,
} from "../../../../projections/engine/checkpoints/wait-for-position.ts";
import { createEngineTables } from "../../../../projections/engine/engine-tables.ts";
import type { GroupName } from "../../../../projections/projection.ts";
import { startBreakableProxy } from "../../../support/breakable-proxy.ts";
import { testPostgres } from "../../../support/stores.ts";
import { payments } from "../ledger.ts";
import { connectDatabase } from "../stores.ts";

const test = suite("waits for positions of read models");

const at = (commit: bigint) => ({ commit, prepare: commit });
const longMs = 20_000;

interface Read {
  resolve(positions: ReadonlyMap<GroupName, PositionOrStart>): void;
  reject(failure: Error): void;
}

/** Waiters on a database whose answers the test gives, one by one. */
function givenDatabase() {
  const reads: Read[] = [];
  let onRead = (): void => {};
  const awaited: GroupName[] = [];
  const waiters = createPositionWaiters(
    () =>
      new Promise((resolve, reject) => {
        reads.push({ resolve, reject });
        onRead();
      }),
    (group) => awaited.push(group),
  );
  return {
    ...waiters,
    awaited,
    reads: () => reads.length,
    /** The `number`th read, once it has begun. */
    read: async (number: number): Promise<Read> => {
      while (reads.length < number) await new Promise<void>((resolve) => (onRead = resolve));
      return reads[number - 1] as Read;
    },
  };
}

test("callers share one read at a time", async () => {
  const { wait, read, reads, awaited } = givenDatabase();
  const control = wait("control", at(5n), longMs);
  const later = wait("control", at(9n), longMs);
  const facts = wait("facts", at(5n), longMs);
  const first = await read(1);
  assert.is(reads(), 1);
  first.resolve(new Map([["control", at(5n)]]));
  assert.is(await control, true);
  (await read(2)).resolve(
    new Map([
      ["control", at(9n)],
      ["facts", at(9n)],
    ]),
  );
  assert.equal(await Promise.all([later, facts]), [true, true]);
  assert.equal(awaited, [], "no group runs here");
});

test("a caller that comes during a read waits for the next one", async () => {
  const { wait, read } = givenDatabase();
  const early = wait("facts", at(1n), longMs);
  const first = await read(1);
  const late = wait("facts", at(1n), longMs);
  first.resolve(new Map([["facts", at(1n)]]));
  assert.is(await early, true);
  (await read(2)).resolve(new Map());
  (await read(3)).resolve(new Map([["facts", at(1n)]]));
  assert.is(await late, true);
});

test("the empty log is passed at its start, by groups that can be read alone", async () => {
  const { wait, read } = givenDatabase();
  const facts = wait("facts", null, longMs);
  const control = wait("control", null, 0);
  (await read(1)).resolve(new Map());
  (await read(2)).resolve(new Map([["facts", null]]));
  assert.equal(await Promise.all([facts, control]), [true, false]);
});

test("without time the position is read once", async () => {
  const { wait, read, reads } = givenDatabase();
  const passed = wait("facts", at(2n), 0);
  (await read(1)).resolve(new Map([["facts", at(1n)]]));
  assert.is(await passed, false);
  assert.is(reads(), 1);
});

test("a position that is not passed in time is waited for no longer, also when the database is silent", async () => {
  const { wait, read } = givenDatabase();
  const late = wait("facts", at(2n), 20);
  (await read(1)).resolve(new Map([["facts", at(1n)]]));
  assert.is(await late, false);
  const unanswered = wait("facts", at(2n), 20);
  await read(2);
  assert.is(await unanswered, false);
});

/** What `work` resolves with, while every read from the `number`th on is answered with `positions`. */
async function whileAnswered<Result>(
  { read }: ReturnType<typeof givenDatabase>,
  number: number,
  positions: ReadonlyMap<GroupName, PositionOrStart>,
  work: Promise<Result>,
): Promise<Result> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  for (let next = number; !isOver; next += 1) {
    (await Promise.race([read(next), over.then(() => null)]))?.resolve(positions);
  }
  return over;
}

test("a caller that comes between two reads is not kept waiting, however rare they have become", async () => {
  const database = givenDatabase();
  const { wait, read, reads } = database;
  const early = wait("facts", at(9n), longMs);
  for (let number = 1; number <= 8; number += 1) (await read(number)).resolve(new Map());
  await nextTurn();
  const late = wait("facts", at(1n), longMs);
  await nextTurn();
  assert.ok(reads() > 8, "a read is in progress");
  const passed = await whileAnswered(database, 9, new Map([["facts", at(9n)]]), Promise.all([early, late]));
  assert.equal(passed, [true, true]);
});

test("reads become rarer while a caller waits", async () => {
  const database = givenDatabase();
  assert.is(await whileAnswered(database, 1, new Map(), database.wait("facts", at(2n), 300)), false);
  assert.ok(database.reads() >= 2 && database.reads() <= 10, `${database.reads()} reads in 300 ms`);
});

test("one failed read is repeated, and a second one is the failure of those who waited for it", async () => {
  const { wait, announce, read } = givenDatabase();
  const failure = wait("facts", at(2n), longMs).catch(({ message }: Error) => message);
  (await read(1)).reject(new Error("one connection was lost"));
  const second = await read(2);
  const next = wait("facts", at(2n), longMs);
  second.reject(new Error("away"));
  assert.is(await failure, "away");
  (await read(3)).reject(new Error("still away"));
  assert.is(await next.catch(({ message }: Error) => message), "still away");

  const repeated = wait("facts", at(2n), longMs);
  (await read(4)).resolve(new Map());
  (await read(5)).reject(new Error("another one was lost"));
  const last = await read(6);
  announce("facts", at(1n));
  last.reject(new Error("a read that nobody needs any more"));
  announce("facts", at(2n));
  assert.is(await repeated, true);
});

test("groups that run in this process are not read", async () => {
  const { wait, announce, isAwaited, awaited, reads } = givenDatabase();
  announce("facts", at(1n));
  void wait("control", at(1n), longMs);
  assert.is(await wait("facts", at(1n), 0), true);
  assert.is(await wait("facts", at(2n), 0), false);
  const passed = wait("facts", at(3n), longMs);
  assert.equal([isAwaited("facts"), isAwaited("control")], [true, false]);
  announce("facts", at(3n));
  assert.is(await passed, true);
  assert.equal([isAwaited("facts"), awaited], [false, ["facts", "facts"]]);
  assert.is(reads(), 1, "of the other group");
  announce("control", at(1n));
});

test("callers that wait as this process becomes the leader get its position", async () => {
  const { wait, announce, read } = givenDatabase();
  const asLeader = wait("facts", at(1n), longMs);
  const first = await read(1);
  announce("facts", at(1n));
  assert.is(await asLeader, true);
  const once = wait("control", at(2n), 0);
  announce("control", at(1n));
  assert.is(await once, false);
  first.resolve(new Map());
});

test("callers are read for as soon as this process, which knew the position, stops being the leader", async () => {
  const { wait, announce, forget, read, reads } = givenDatabase();
  announce("facts", at(1n));
  const passed = wait("facts", at(2n), longMs);
  assert.is(reads(), 0);
  forget();
  assert.is(reads(), 1);
  (await read(1)).resolve(new Map([["facts", at(2n)]]));
  assert.is(await passed, true);
});

test("waits end when the process stops, and nothing is read any more", async () => {
  const { wait, announce, close, read, reads } = givenDatabase();
  const polled = wait("facts", at(1n), longMs);
  const last = await read(1);
  announce("control", at(1n));
  const local = wait("control", at(2n), longMs);
  close();
  assert.equal(await Promise.all([polled, local]), [false, false]);
  const later = Promise.all([wait("facts", at(1n), 20), wait("control", at(2n), 20)]);
  last.resolve(new Map());
  assert.equal(await later, [false, false]);
  assert.is(reads(), 1);
});

test("nothing is read for callers that come after the process has stopped", async () => {
  const { wait, close, reads } = givenDatabase();
  close();
  assert.equal(await Promise.all([wait("facts", at(1n), 0), wait("control", at(1n), 20)]), [false, false]);
  assert.is(reads(), 0);
});

test("a read that gets no response fails: callers do not wait for it without end", async () => {
  const proxy = await startBreakableProxy(await testPostgres());
  const db = connectDatabase(proxy.connectionString);
  await createEngineTables(db);
  assert.equal(await readablePositions(db, [payments]), new Map());
  proxy.stall();
  const failure = await readablePositions(db, [payments]).catch(({ name }: Error) => name);
  await proxy.close();
  await db.destroy();
  assert.is(failure, "KnexTimeoutError");
});

test.run();
