// time limit: 5 s
import { tmpdir } from "node:os";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { watchFreeSpace } from "../../../infra/data-directory/free-space.ts";

const disk = suite("the free space of a disk");

disk("keeps the reserve, counting four times what is written", () => {
  assert.is(watchFreeSpace("/data", 100, () => 140).hasRoomFor(11), false);
  const space = watchFreeSpace("/data", 100, () => 140);
  const taken = [4, 4, 2, 1].map((bytes) => space.hasRoomFor(bytes));
  assert.equal(taken, [true, true, true, false]);
});

disk("is read from the system, and writes are refused while less than the reserve is free", () => {
  assert.is(watchFreeSpace(tmpdir(), 0).hasRoomFor(1), true);
  assert.is(watchFreeSpace(tmpdir(), Number.MAX_SAFE_INTEGER).hasRoomFor(0), false);
});

disk.run();
