import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fillInstallVectors } from "../../../infra/jobs/vector-filling.ts";

/** Answers what was done, in order, while filling gave these numbers or failures, one after the other. */
async function doneWhile(fillings: readonly (number | Error)[]): Promise<readonly string[]> {
  const done: string[] = [];
  const stopping = new AbortController();
  const left = [...fillings];
  let clock = 0;
  const waited = async (what: string, ms: number): Promise<void> => {
    done.push(`${what} ${ms}`);
    clock += ms;
    if (left.length === 0) stopping.abort();
  };
  await fillInstallVectors(
    {
      fill: async () => {
        clock += 30;
        const filled = left.shift() ?? 0;
        if (typeof filled !== "number") throw filled;
        done.push(`filled ${filled}`);
        return filled;
      },
      untilWoken: (ms) => waited("waits", ms),
      pause: (ms) => waited("pauses", ms),
      onLag: (ms) => done.push(`lag ${ms}`),
      log: { warn: () => done.push("warned") } as never,
      now: () => clock,
    },
    stopping.signal,
  );
  return done;
}

const filling = suite("filling the features of installs");

filling("goes on while sets are full, working half of the time, and then waits to be woken", async () => {
  assert.equal(await doneWhile([200, 200, 7, 0]), [
    ...["filled 200", "lag 30", "pauses 30", "filled 200", "lag 90", "pauses 30", "filled 7", "lag 150"],
    ...["lag 0", "waits 1000", "filled 0", "lag 0", "waits 1000"],
  ]);
});

filling("that fails is tried again with a growing backoff, and its lag grows", async () => {
  const failure = new Error("the database went away");
  assert.equal(await doneWhile([failure, failure, 1]), [
    ...["warned", "lag 0", "pauses 100", "warned", "lag 130", "pauses 200"],
    ...["filled 1", "lag 360", "lag 0", "waits 1000"],
  ]);
  const pauses = (await doneWhile(Array(9).fill(failure))).filter((what) => what.startsWith("pauses"));
  assert.equal(
    pauses.map((what) => Number(what.slice(7))),
    [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000],
  );
});

filling("ends at once when it is stopped", async () => {
  const stopped = AbortSignal.abort();
  const never = async (): Promise<never> => {
    throw new Error("It worked all the same");
  };
  const deps = { fill: never, untilWoken: never, pause: never, onLag: () => {}, log: { warn: () => {} } as never };
  await fillInstallVectors({ ...deps, now: () => 0 }, stopped);
});

filling.run();
