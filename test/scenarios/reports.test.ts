// time limit: 120 s
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appRegistryStream, reportTaskStream } from "../../domain/streams.ts";
import { facts } from "../../projections/facts/projection.ts";
import { createReadModels } from "../../projections/read-models.ts";
import { startWorker } from "../commands/uploads/worker.ts";
import { shop, shopRegistered } from "../examples/app.ts";
import { openStores, type Stores } from "../projections/engine/stores.ts";

const pollMs = 20;
const withinMs = 60_000;
const query = {
  from: "2026-03-01",
  to: "2026-03-31",
  groupBys: [],
  metrics: ["clicks"],
  filters: [],
  sorts: [],
};

const test = suite("kill -9 of the worker while a report runs");

test("the next worker ends it, once, with its rows", async () => {
  const stores = await openStores();
  await stores.append(appRegistryStream, shopRegistered);
  // Given a report that a worker has ended, and so facts that are there
  let worker = await startWorker(stores);
  worker.send([]);
  try {
    const whole = await requested(stores);
    await untilEnded(stores, whole);

    // When the worker is killed while the statement of another runs
    const { schema } = await createReadModels(stores.db, [facts]).live("facts");
    const locked = await stores.db.transaction();
    await locked.raw(`lock table ${schema}.touchpoints in access exclusive mode`);
    const taskId = await requested(stores);
    await until(async () => (await waitingStatements(stores)) === 1);
    assert.equal(await typesOf(stores, taskId), ["ReportRequested", "ReportStarted"]);
    const killed = once(worker, "exit");
    worker.kill("SIGKILL");
    await killed;
    await locked.rollback();
    worker = await startWorker(stores);
    worker.send([]);

    // Then
    await untilEnded(stores, taskId);
    assert.equal(await typesOf(stores, taskId), ["ReportRequested", "ReportStarted", "ReportSucceeded"]);
    assert.equal(await rowsOf(stores, taskId), await rowsOf(stores, whole));
    assert.is((await rowsOf(stores, taskId)).length, 1);
  } finally {
    worker.kill("SIGKILL");
    await stores.close();
  }
});

async function requested(stores: Stores): Promise<string> {
  const taskId = randomUUID();
  const requestedAt = new Date().toISOString();
  const data = { taskId, appId: shop.appId, report: "actuals", query, onlyChannels: null, requestedAt };
  await stores.append(reportTaskStream(taskId), { type: "ReportRequested", data });
  return taskId;
}

async function typesOf({ log }: Stores, taskId: string): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of log.read(reportTaskStream(taskId))) types.push(type);
  return types;
}

async function rowsOf({ db }: Stores, taskId: string): Promise<readonly unknown[]> {
  const { rows } = await db.raw("select row_number, group_bys, cells from work.result_rows where task_id = ?", [
    taskId,
  ]);
  return rows;
}

/** Statements that wait for a lock in this database. */
async function waitingStatements({ db }: Stores): Promise<number> {
  const { rows } = await db.raw(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.length;
}

const untilEnded = (stores: Stores, taskId: string): Promise<void> =>
  until(async () => /Succeeded|Failed/.test((await typesOf(stores, taskId)).at(-1) ?? ""));

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not so within ${withinMs} ms`);
    await pause(pollMs);
  }
}

test.run();
