import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildMissing } from "../../../../projections/engine/generations/build-missing.ts";
import { openEngine, reached } from "../engine.ts";
import { silentEngineLog } from "../engine-log.ts";
import { payments } from "../ledger.ts";

const test = suite("the build of missing read models");

test("is reported as failing while the event store is away, and no longer once it has succeeded", async () => {
  const engine = await openEngine();
  const projector = await engine.start([payments]);
  await reached(projector, await engine.pay());
  let isAway = true;
  const log: typeof engine.log = {
    ...engine.log,
    subscribe: (options) => {
      if (!isAway) return engine.log.subscribe(options);
      isAway = false;
      return { close: () => {}, [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("away")) }) };
    },
  };
  const reported: (string | null)[] = [];
  await buildMissing(
    { db: engine.db, log, logger: silentEngineLog },
    "facts",
    [payments],
    (reason) => reported.push(reason),
    new AbortController().signal,
  );
  assert.equal(reported, ["away", null]);
  await engine.close();
});

test.run();
