import { Readable } from "node:stream";
import { Metadata, status } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { batchAppendCall } from "../../../infra/embedded-event-store/batch-append-call.ts";
import type { Writer } from "../../../infra/embedded-event-store/writer.ts";
import { newStream } from "../event-log/event-log-client.ts";
import {
  batchMessage,
  closed,
  idsOfProposed,
  type MessageParts,
  oneProposed,
  proposedOfSize,
  responseOf,
  startBatchAppends,
  textId,
  tooLarge,
} from "./batch-append-client.ts";

const MAXIMUM = 1024 * 1024;
const MOST_UNFINISHED = 100;
const { log, open, storedIds, close } = await startBatchAppends();

const limits = suite("embedded event store: limits of batch appends");
limits.after(close);

limits("the maximum append size counts over all messages of an append", async () => {
  const half = MAXIMUM / 2;
  const call = open();
  for (const [index, rest] of [half - 1, half, half + 1].entries()) {
    const id = textId();
    const stream = newStream();
    const events = [proposedOfSize(half), proposedOfSize(rest)];
    call.send({ id, stream, events: events.slice(0, 1), isFinal: false }, { id, events: events.slice(1) });
    const append = { id: id.getString(), stream };
    assert.equal(
      responseOf((await call.answers(index + 1))[index]),
      rest <= half ? { ...append, revision: 1 } : { ...append, ...tooLarge },
    );
    assert.equal(await storedIds(stream), rest <= half ? idsOfProposed(events) : []);
  }
  await closed(call, 3);
});

limits("a call may have 100 unfinished appends, and complete ones in addition", async () => {
  const begun = (count: number) =>
    Array.from({ length: count }, () => ({
      id: textId(),
      stream: newStream(),
      events: [oneProposed()],
      isFinal: false,
    }));
  const finish = (appends: readonly MessageParts[]) => appends.map(({ id }) => ({ ...(id ? { id } : {}) }));
  for (const count of [MOST_UNFINISHED - 1, MOST_UNFINISHED]) {
    const appends = begun(count);
    const call = open();
    call.send(...appends, { id: textId(), stream: newStream(), events: [oneProposed()] });
    await call.answers(1);
    call.send(...finish(appends.slice(0, 1)), ...begun(1), ...finish(appends.slice(1)));
    assert.ok((await call.answers(count + 1)).every((answer) => answer.hasSuccess()));
    await closed(call, count + 1);
  }
  const head = await log.headPosition();
  const call = open();
  call.send(...begun(MOST_UNFINISHED + 1));
  assert.equal(await call.end, { code: status.RESOURCE_EXHAUSTED, answers: 0 });
  assert.equal(await log.headPosition(), head);
});

limits("more than is read at once is all written and acknowledged, even if its first append is too large", async () => {
  const enough = { id: textId(), stream: newStream(), events: [proposedOfSize(16 * MAXIMUM)] };
  const appends = Array.from({ length: 40 }, () => ({
    id: textId(),
    stream: newStream(),
    events: [proposedOfSize(MAXIMUM / 2), proposedOfSize(MAXIMUM / 4)],
  }));
  const call = open();
  call.send(enough, ...appends);
  await closed(call, 1 + appends.length);
  const [first, ...others] = await call.answers(1 + appends.length);
  assert.equal(responseOf(first), { id: enough.id.getString(), stream: enough.stream, ...tooLarge });
  assert.ok(others.every((answer) => answer.hasSuccess()));
  for (const { stream, events } of appends) assert.equal(await storedIds(stream), idsOfProposed(events));
});

limits("a call is not read further while 16 MiB of its appends are unanswered", async () => {
  const answers: (() => void)[] = [];
  const append = () =>
    new Promise((resolve) => answers.push(() => resolve({ kind: "appended", revision: 0, position: 1 })));
  const call = Object.assign(new Readable({ objectMode: true, read: () => undefined }), {
    ...{ metadata: new Metadata(), write: () => true, end: () => undefined },
  });
  for (let sent = 0; sent < 20; sent += 1) {
    const message = batchMessage({ id: textId(), stream: newStream(), events: [proposedOfSize(MAXIMUM)] });
    call.push(Buffer.from(message.serializeBinary()));
  }
  batchAppendCall({ append } as unknown as Writer)(call as never);
  for (const taken of [16, 17, 18]) {
    await new Promise(setImmediate);
    assert.is(answers.length, taken);
    answers[taken - 16]?.();
  }
  call.destroy();
});

limits.run();
