import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Response } from "express";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createBodyBudget, createLargeBodyPlaces } from "../../../../infra/http/request/body-gate.ts";
import { readBody } from "../../../../infra/http/request/read-body.ts";
import { problems } from "../../../../infra/http/response/problem.ts";
import { collectGarbage } from "../../../support/collect-garbage.ts";

/** Only its end matters. */
const startResponse = () => new EventEmitter() as unknown as Response;
const mib = 1024 * 1024;
const [shop, cafe, bar] = [1, 2, 3];

/** Bytes of what cannot be collected as garbage. */
function memoryInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const budget = suite("the bytes of bodies in memory");

budget("are at most the budget in all, and half of it of one app", () => {
  const bodies = createBodyBudget(100);
  const ofShop = bodies.open(shop, startResponse());
  assert.equal([ofShop(49), ofShop(1), ofShop(1), bodies.open(shop, startResponse())(1)], [true, true, false, false]);
  const ofCafe = bodies.open(cafe, startResponse());
  assert.equal([ofCafe(49), bodies.open(bar, startResponse())(2), ofCafe(1)], [true, false, true]);
});

budget("are all of an operator's, whose bodies are the largest", () => {
  const bodies = createBodyBudget(100);
  const ofOperator = bodies.open(null, startResponse());
  assert.equal([ofOperator(100), ofOperator(1)], [true, false]);
});

budget("are given back when the response has closed, once, and none are taken after", () => {
  const bodies = createBodyBudget(100);
  const response = startResponse();
  const hold = bodies.open(shop, response);
  hold(50);
  response.emit("close");
  assert.equal(
    [hold(1), bodies.open(shop, startResponse())(50), bodies.open(null, startResponse())(50)],
    [false, true, true],
  );
});

budget("are counted as they are sent, and again as they are inflated", async () => {
  const text = JSON.stringify({ note: "x".repeat(1_000) });
  const sent = gzipSync(text);
  const read = (hold: (bytes: number) => boolean) => {
    const request = Object.assign(Readable.from([sent]), { headers: { "content-encoding": "gzip" } });
    return readBody(request as unknown as IncomingMessage, { limit: mib, gzip: true, hold });
  };
  const held: number[] = [];
  const whole = await read((bytes) => held.push(bytes) > 0);
  assert.equal([whole, held], [{ outcome: "read", bytes: Buffer.from(text) }, [sent.length, text.length]]);
  const overloaded = { outcome: "refused", problem: problems.overloaded, bytes: null };
  assert.equal(await read((bytes) => bytes === sent.length), overloaded);
});

budget("are counted while they are inflated, so that no more are inflated than may be held", async () => {
  const request = Object.assign(Readable.from([gzipSync(Buffer.alloc(4 * mib))]), {
    headers: { "content-encoding": "gzip" },
  });
  let held = 0;
  const hold = (bytes: number) => {
    held += bytes;
    return held < mib;
  };
  const read = await readBody(request as unknown as IncomingMessage, { limit: 5 * mib, gzip: true, hold });
  assert.equal(read, { outcome: "refused", problem: problems.overloaded, bytes: null });
  assert.ok(held < 1.1 * mib, `${held} bytes`);
});

budget("are not many times as much when they come one by one", async () => {
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
  const request = Object.assign(new Readable({ read: () => undefined }), { headers: {} });
  const read = readBody(request as unknown as IncomingMessage, { limit: mib, gzip: false });
  await nextTurn();
  const before = memoryInUse();
  for (const byte of bytes) request.push(Buffer.alloc(1, byte));
  const used = memoryInUse() - before;
  request.push(null);
  assert.equal(await read, { outcome: "read", bytes });
  assert.ok(used < 2 * mib, `${used} bytes`);
});

budget("are not kept after a refusal, while the client still sends", async () => {
  const request = Object.assign(new Readable({ read: () => undefined }), { headers: {} });
  let held = 0;
  const hold = (bytes: number) => {
    held += bytes;
    return held <= 8 * mib;
  };
  const before = memoryInUse();
  const read = readBody(request as unknown as IncomingMessage, { limit: 16 * mib, gzip: false, hold });
  await nextTurn();
  for (let sent = 0; sent < 9; sent += 1) request.push(Buffer.alloc(mib));
  assert.equal(await read, { outcome: "refused", problem: problems.overloaded, bytes: null });
  // Buffers are freed by another thread.
  let used = memoryInUse() - before;
  for (let rounds = 0; used >= mib && rounds < 100; rounds += 1) {
    await nextTurn();
    used = memoryInUse() - before;
  }
  request.push(Buffer.alloc(1));
  assert.ok(used < mib, `${used} bytes`);
});

budget.run();

const places = suite("places for large bodies");

places("are for bodies over 1 MiB, half of them for one app", () => {
  const placeOf = createLargeBodyPlaces(2);
  const outcome = (bytes: number, app: number) => placeOf(bytes, app, startResponse())?.code ?? "admitted";
  assert.equal(
    [outcome(mib, shop), outcome(mib + 1, shop), outcome(mib + 1, shop), outcome(mib, shop), outcome(mib + 1, cafe)],
    ["admitted", "admitted", "OVERLOADED", "admitted", "admitted"],
  );
  assert.is(outcome(mib + 1, bar), "OVERLOADED");
});

places("are free again when the response has closed", () => {
  const placeOf = createLargeBodyPlaces(1);
  const response = startResponse();
  placeOf(2 * mib, shop, response);
  response.emit("close");
  assert.is(placeOf(2 * mib, shop, startResponse()), null);
});

places.run();
