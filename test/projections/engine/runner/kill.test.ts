// time limit: 120 s
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readCheckpoint } from "../../../../projections/engine/checkpoints/checkpoint.ts";
import { pollForPosition } from "../../../../projections/engine/checkpoints/wait-for-position.ts";
import { openOperatorCommands } from "../../../../projections/engine/maintenance/operator-commands.ts";
import { silentEngineLog } from "../engine-log.ts";
import { ledger, paid, payment } from "../ledger.ts";
import { openStores } from "../stores.ts";

const test = suite("kill -9 of the process that runs the projections");
const kills = 5;
const timeoutMs = 60_000;

test("leaves the rows and the checkpoint of a clean replay", async () => {
  const stores = await openStores();
  let child = await startProjector(stores.eventStoreUrl, stores.databaseUrl);
  let isOver = false;
  const load = (async () => {
    for (let round = 0; !isOver; round += 1) {
      for (const { stream, event } of paid(30)) await stores.append(`${stream}-${round % 5}`, event, event, event);
    }
  })();
  const killedAfter: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const delay = Math.round(Math.random() * 400);
    killedAfter.push(delay);
    await pause(delay);
    child.kill("SIGKILL");
    await once(child, "exit");
    child = await startProjector(stores.eventStoreUrl, stores.databaseUrl);
  }
  isOver = true;
  await load;
  const last = await stores.append("account-last", payment(1));
  const events = await stores.all();
  const killTimes = `killed after ${killedAfter.join(", ")} ms`;
  assert.is(await pollForPosition(stores.db, ledger)("facts", last, timeoutMs), true, killTimes);
  assert.is((await readCheckpoint(stores.db, "facts"))?.events, BigInt(events.length), killTimes);
  const operator = await openOperatorCommands(stores.db, stores.log, ledger, silentEngineLog);
  for (const { tables } of await operator.verify(() => undefined)) {
    assert.equal(
      tables.flatMap(({ differences }) => differences),
      [],
      killTimes,
    );
  }
  child.disconnect();
  await once(child, "exit");
  await stores.close();
});

async function startProjector(...urls: readonly string[]): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL("./projector-child.js", import.meta.url)), urls, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await once(child, "message");
  return child;
}

test.run();
