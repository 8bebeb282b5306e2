// time limit: 120 s
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readCheckpoint } from "../../../../projections/engine/checkpoints/checkpoint.ts";
import {
  createPositionWaiters,
  readablePositions,
} from "../../../../projections/engine/checkpoints/wait-for-position.ts";
import { hasLeader } from "../../../../projections/engine/leader/leader-election.ts";
import { openOperatorCommands } from "../../../../projections/engine/maintenance/operator-commands.ts";
import { projectorRole } from "../../../../projections/engine/runner/status.ts";
import { silentEngineLog } from "../engine-log.ts";
import { ledger, paid, payment } from "../ledger.ts";
import { openStores, type Stores } from "../stores.ts";

const test = suite("the process that runs the projections, killed or frozen");
const kills = 3;
const timeoutMs = 60_000;

const waitForPosition = (db: Stores["db"]) => createPositionWaiters(() => readablePositions(db, ledger)).wait;

test("killed, leaves the rows and the checkpoint of a clean replay", async () => {
  const stores = await openStores();
  let child = await startProjector(stores);
  const killedAfter: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const delay = Math.round(Math.random() * 400);
    killedAfter.push(delay);
    const load = (async () => {
      for (const { stream, event } of paid(50)) await stores.append(`${stream}-${kill}`, event, event, event);
    })();
    await pause(delay);
    child.kill("SIGKILL");
    await once(child, "exit");
    await load;
    child = await startProjector(stores);
  }
  const last = await stores.append("account-last", payment(1));
  const events = await stores.all();
  const killTimes = `killed after ${killedAfter.join(", ")} ms`;
  assert.is(await waitForPosition(stores.db)("facts", last, timeoutMs), true, killTimes);
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

test("frozen, loses the role to another process, and applies nothing when it goes on", async () => {
  const stores = await openStores();
  const frozen = await startProjector(stores);
  const applied = await stores.append("account-1", payment(1));
  assert.is(await waitForPosition(stores.db)("facts", applied, timeoutMs), true);
  frozen.kill("SIGSTOP");
  assert.is(await hasLeader(stores.db, projectorRole), true, "Postgres has not noticed yet");
  const next = await startProjector(stores);
  const later = await stores.append("account-2", payment(2));
  assert.is(await waitForPosition(stores.db)("facts", later, timeoutMs), true);
  frozen.kill("SIGCONT");
  const last = await stores.append("account-3", payment(3));
  assert.is(await waitForPosition(stores.db)("facts", last, timeoutMs), true);
  const operator = await openOperatorCommands(stores.db, stores.log, ledger, silentEngineLog);
  const verified = await operator.verify(() => undefined);
  assert.equal(
    verified.flatMap(({ tables }) => tables.flatMap(({ differences }) => differences)),
    [],
  );
  for (const child of [frozen, next]) {
    child.disconnect();
    await once(child, "exit");
  }
  // Postgres notices the end of their connections a moment later.
  while (await hasLeader(stores.db, projectorRole)) await pause(20);
  await stores.close();
});

async function startProjector({ environment }: Stores): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL("./projector-child.js", import.meta.url)), {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = new AbortController();
  child.once("exit", (code) => ended.abort(new Error(`The projector ended with ${code} at its start`)));
  await once(child, "message", { signal: ended.signal });
  return child;
}

test.run();
