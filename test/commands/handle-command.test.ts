import { uuidv7 } from "uuidv7";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { handleCommand, StreamTooBusy } from "../../commands/handle-command.ts";
import { EventUnreadable } from "../../commands/readable-event.ts";
import type { Decider } from "../../domain/decider.ts";
import { type StreamName, uploadStream } from "../../domain/streams.ts";
import type { UploadEvent } from "../../domain/uploads/events.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { operatorCause } from "../examples/cause.ts";
import { all, errorOf } from "../infra/event-log/event-log-client.ts";
import { fold } from "../support/decider-specification.ts";
import { startTestLog } from "../support/event-store.ts";

/** An account takes up to 100 at once, and nothing that would make it more than 100. Rows are the money. */
const account: Decider<number, UploadEvent, readonly number[], "TOO_MUCH"> = {
  initialState: [],
  decide: (rows, paid) => {
    if (paid.reduce((sum, one) => sum + one, rows) > 100) return { rejected: "TOO_MUCH" };
    return rows === 0 ? [] : [{ type: "UploadValidated", data: { requestId: "", rows, validatedAt: "" } }];
  },
  evolve: (paid, event) => (event.type === "UploadValidated" ? [...paid, event.data.rows] : paid),
};

/** The log, with how often a stream was read; `before` runs ahead of each append. */
function watched(log: EventLog, before: () => Promise<unknown> = async () => {}) {
  const counts = { reads: 0 };
  const read: EventLog["read"] = (...call) => {
    counts.reads += 1;
    return log.read(...call);
  };
  const append: EventLog["append"] = async (...call) => {
    await before();
    return log.append(...call);
  };
  return { counts, log: { ...log, read, append } };
}

const store = await startTestLog();
const { log } = store;
const pay = (over: EventLog, stream: StreamName<"upload">, amount: number, commandId = uuidv7()) =>
  handleCommand(over, account, stream, commandId, amount, operatorCause);
/** Pays as a request of its own does. */
const payFirst = (over: EventLog, stream: StreamName<"upload">, amount: number, requestId = uuidv7()) =>
  handleCommand(over, account, stream, requestId, amount, { ...operatorCause, requestId }, { startsStream: true });
const amountsIn = async (stream: StreamName<"upload">) => fold(account, await all(log.read(stream)));
const statesOf = (handled: { readonly outcome: string; readonly state?: unknown }) => [handled.outcome, handled.state];

const commands = suite("a command");
commands.after(() => store.close());

commands("is decided on the state of its stream, and appended", async () => {
  const stream = uploadStream(uuidv7());
  assert.equal(statesOf(await pay(log, stream, 60)), ["handled", [60]]);
  assert.equal(statesOf(await pay(log, stream, 40)), ["handled", [60, 40]]);
  assert.equal(await pay(log, stream, 1), { outcome: "rejected", rejection: { rejected: "TOO_MUCH" } });
  assert.equal(await amountsIn(stream), [60, 40]);
});

commands("is not decided on an event that this version cannot read", async () => {
  const stream = uploadStream(uuidv7());
  await pay(log, stream, 60);
  const ofNewerVersion: EventLog["read"] = async function* (...call) {
    for await (const event of log.read(...call)) yield { ...event, type: "OfANewerVersion" } as never;
  };
  const failure = await errorOf(pay({ ...log, read: ofNewerVersion }, stream, 40));
  assert.instance(failure, EventUnreadable);
  assert.equal(await amountsIn(stream), [60]);
});

commands("without events appends nothing", async () => {
  const stream = uploadStream(uuidv7());
  assert.equal(await pay(log, stream, 0), { outcome: "handled", state: [], position: null });
  const paid = await pay(log, stream, 5);
  assert.equal(await pay(log, stream, 0), paid);
  assert.equal(await amountsIn(stream), [5]);
});

commands("that is repeated gets the first outcome, at the position of its own events", async () => {
  const stream = uploadStream(uuidv7());
  const commandId = uuidv7();
  const inTwo: typeof account = {
    ...account,
    decide: (rows, paid) => [account.decide(rows, paid), account.decide(rows, [])].flat() as readonly UploadEvent[],
  };
  const payTwice = () => handleCommand(log, inTwo, stream, commandId, 20, operatorCause);
  const first = await payTwice();
  await pay(log, stream, 30);
  assert.equal(await payTwice(), { ...first, state: [20, 20, 30] });
  assert.equal(await amountsIn(stream), [20, 20, 30]);
});

commands("that meets another writer is decided again", async () => {
  const stream = uploadStream(uuidv7());
  let others = 2;
  const { log: raced } = watched(log, async () => others-- > 0 && pay(log, stream, 45));
  assert.equal(await pay(raced, stream, 30), { outcome: "rejected", rejection: { rejected: "TOO_MUCH" } });
  assert.equal(await amountsIn(stream), [45, 45]);
});

commands("meets each of ten that another process has waiting", async () => {
  const stream = uploadStream(uuidv7());
  let others = 10;
  const { log: raced } = watched(log, async () => others-- > 0 && pay(log, stream, 5));
  assert.equal(statesOf(await pay(raced, stream, 30)), ["handled", [...Array(10).fill(5), 30]]);
});

commands("of one process does not meet another of it on a stream", async () => {
  const stream = uploadStream(uuidv7());
  const { log: read, counts } = watched(log);
  const paid = await Promise.all(Array.from({ length: 50 }, (_, amount) => pay(read, stream, amount < 30 ? 2 : 10)));
  const outcomes = paid.map(({ outcome }) => outcome);
  assert.equal(outcomes, [...Array(34).fill("handled"), ...Array(16).fill("rejected")]);
  assert.equal([counts.reads, await amountsIn(stream)], [50, [...Array(30).fill(2), ...Array(4).fill(10)]]);
});

commands("gives up when another writer wins every time", async () => {
  const stream = uploadStream(uuidv7());
  const { log: raced, counts } = watched(log, () => pay(log, stream, 1));
  assert.instance(await errorOf(pay(raced, stream, 1)), StreamTooBusy);
  assert.is(counts.reads, 16);
});

commands("that starts a stream appends without reading", async () => {
  const stream = uploadStream(uuidv7());
  const { log: read, counts } = watched(log);
  assert.equal(statesOf(await payFirst(read, stream, 60)), ["handled", [60]]);
  assert.equal([counts.reads, await amountsIn(stream)], [0, [60]]);
});

commands("that starts a stream which exists is decided on its state", async () => {
  const stream = uploadStream(uuidv7());
  await pay(log, stream, 60);
  const { log: read, counts } = watched(log);
  assert.equal(statesOf(await payFirst(read, stream, 40)), ["handled", [60, 40]]);
  assert.equal(await payFirst(read, stream, 1), { outcome: "rejected", rejection: { rejected: "TOO_MUCH" } });
  assert.equal([counts.reads, await amountsIn(stream)], [2, [60, 40]]);
});

commands("that starts a stream and is repeated gets the first outcome", async () => {
  const stream = uploadStream(uuidv7());
  const commandId = uuidv7();
  const first = await pay(log, stream, 60, commandId);
  const { log: read, counts } = watched(log);
  const again = handleCommand(read, account, stream, commandId, 50, operatorCause, { startsStream: true });
  assert.equal([await again, counts.reads], [first, 1]);
});

commands.run();
