import { suite } from "uvu";
import * as assert from "uvu/assert";
import { singleFlight } from "../../../infra/process/single-flight.ts";

const flight = suite("a single flight");

flight("never runs twice at a time, and each call gets a run that starts after it", async () => {
  let [running, most, runs] = [0, 0, 0];
  const run = singleFlight(async () => {
    runs += 1;
    running += 1;
    most = Math.max(most, running);
    const number = runs;
    await new Promise(setImmediate);
    running -= 1;
    return number;
  });
  const again = async (): Promise<readonly number[]> => [await run(), await run(), await run()];
  const [one, other] = await Promise.all([again(), again(), run()]);
  assert.is(most, 1);
  for (const numbers of [one, other]) assert.equal([...new Set(numbers)], numbers);
});

flight.run();
