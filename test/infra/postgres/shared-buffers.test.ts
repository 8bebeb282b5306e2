import { totalmem } from "node:os";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sharedBuffers } from "../../../infra/postgres/server.ts";

const megabyte = 1024 * 1024;

const test = suite("Postgres' own cache");

for (const [memory, expected] of [
  [512, "128MB"],
  [1_031, "128MB"],
  [1_032, "129MB"],
  [24_576, "3072MB"],
  [32_767, "4095MB"],
  [32_768, "4096MB"],
  [32_776, "4096MB"],
  [262_144, "4096MB"],
] as const) {
  test(`is ${expected} of ${memory} MB`, () => {
    assert.is(sharedBuffers(memory * megabyte), expected);
  });
}

test("is no more here than an eighth of the machine's memory, or the least", () => {
  const megabytes = Number(/^(\d+)MB$/.exec(sharedBuffers())?.[1]);
  assert.ok(megabytes >= 128 && megabytes <= Math.max(128, totalmem() / megabyte / 8), `${megabytes} MB`);
});

test.run();
