import { suite } from "uvu";
import * as assert from "uvu/assert";
import { boundedReads } from "../../read-api/bounded-reads.ts";

const tooSlow = { status: 503, code: "SLOW" };

/** Reads that end when they are told to. */
function heldReads() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const read = (name: string) => () => {
    begun.push(name);
    return new Promise<{ name: string }>((resolve) => ends.set(name, () => resolve({ name })));
  };
  return { begun, read, end: (name: string) => ends.get(name)?.() };
}

const reads = suite("bounded reads");

reads("run four concurrently, further ones are refused", async () => {
  const bounded = boundedReads("OVERLOADED.some", tooSlow);
  const held = heldReads();
  const running = ["1", "2", "3", "4"].map((name) => bounded.run(held.read(name)));
  const refused = await bounded.run(held.read("5"));
  assert.equal([held.begun, "status" in refused && refused.code], [["1", "2", "3", "4"], "OVERLOADED.some"]);
  held.end("1");
  assert.equal(await running[0], { found: { name: "1" } });
  assert.equal(await bounded.run(async () => null), tooSlow);
});

reads("wait for their turn, as many as may wait", async () => {
  const bounded = boundedReads("OVERLOADED.some", tooSlow, 1);
  const held = heldReads();
  const running = ["1", "2", "3", "4", "5"].map((name) => bounded.run(held.read(name)));
  const refused = await bounded.run(held.read("6"));
  assert.equal([held.begun, "status" in refused && refused.code], [["1", "2", "3", "4"], "OVERLOADED.some"]);
  held.end("1");
  await running[0];
  assert.equal(held.begun, ["1", "2", "3", "4", "5"]);
  held.end("5");
  assert.equal(await running[4], { found: { name: "5" } });
});

reads("let the next parts of a response wait for their turn, in order, also after a failure", async () => {
  const bounded = boundedReads("OVERLOADED.some", tooSlow);
  const held = heldReads();
  const failing = bounded.run(() =>
    held
      .read("0")()
      .then(() => Promise.reject(new Error("failed"))),
  );
  const running = ["1", "2", "3"].map((name) => bounded.run(held.read(name)));
  const next = ["4", "5"].map((name) => bounded.runNext(held.read(name)));
  assert.equal(held.begun, ["0", "1", "2", "3"]);
  held.end("0");
  assert.is(await failing.catch(String), "Error: failed");
  held.end("1");
  await running[0];
  assert.equal(held.begun, ["0", "1", "2", "3", "4", "5"]);
  for (const name of ["2", "3", "4", "5"]) held.end(name);
  assert.equal(await Promise.all(next), [{ name: "4" }, { name: "5" }]);
  assert.equal(await bounded.run(async () => ({ name: "6" })), { found: { name: "6" } });
});

reads.run();
