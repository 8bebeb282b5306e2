import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readInstalls } from "../../../infra/training/read-installs.ts";
import { trainingInput } from "../../../infra/training/training-input.ts";
import { shop } from "../../examples/app.ts";
import { anInstall } from "../../examples/app-events.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { logOf } from "./simulated-log.ts";

const test = suite("the input of training");
const day = 86_400_000;
const installedAt = Date.parse(anInstall().data.at);

const install = (number: number, value: string | null = null) =>
  anInstall({ eventId: exampleUuid("install", number), deviceKey: exampleUuid("device", number), value });

test("has installs that are older than 10 days, not those of exactly 10 days", async () => {
  const installs = await readInstalls(logOf([install(1)]), shop, () => {});
  const sizes = (now: number) => {
    const { count, tooYoung } = trainingInput(installs, now, 1);
    return [count, tooYoung];
  };
  assert.equal(sizes(installedAt + 10 * day), [0, 1]);
  assert.equal(sizes(installedAt + 10 * day + 1), [1, 0]);
});

test("leaves out and counts installs with a feature beyond float32", async () => {
  // The first double that rounds to infinity as a float32, and the last one that does not.
  const values = ["3.4028235677973366e38", "3.4028235677973362e38", "1e400", "-3.5e38", "0"];
  const installs = await readInstalls(logOf(values.map((value, number) => install(number, value))), shop, () => {});
  const { count, outOfRange, rows } = trainingInput(installs, installedAt + 11 * day, 1);
  assert.equal([count, outOfRange], [2, 3]);
  assert.ok(rows.every(Number.isFinite));
});

test("holds out a fifth by the event's id and the seed, whatever the order of the log", async () => {
  const events = Array.from({ length: 500 }, (_, number) => install(number));
  const heldOut = async (seed: number, order: typeof events) => {
    const input = trainingInput(await readInstalls(logOf(order), shop, () => {}), installedAt + 11 * day, seed);
    return order
      .filter((_, row) => input.heldOut[row] === 1)
      .map(({ data }) => data.eventId)
      .sort();
  };
  const held = await heldOut(1, events);
  assert.ok(held.length > 70 && held.length < 130, `${held.length} of 500`);
  assert.equal(await heldOut(1, events.toReversed()), held);
  assert.not.equal(await heldOut(2, events), held);
});

test.run();
