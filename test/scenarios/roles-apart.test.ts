// time limit: 120 s
import { EventStoreDBClient } from "@eventstore/db-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { logIdentityStream } from "../../domain/streams.ts";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import type { ActualsPage } from "../../infra/api-client/report-pages.ts";
import { runReport } from "../../infra/api-client/report-tasks.ts";
import { differences } from "../../infra/demo/ground-truth.ts";
import { createLinks, pushAppEvents, pushTouchpoints } from "../../infra/demo/push.ts";
import { demoQuery, reportedRows } from "../../infra/demo/report.ts";
import { simulate } from "../../infra/demo/simulation.ts";
import { registerApp, runApplication, temporaryDirectory } from "../support/application-process.ts";
import { runSeparateStore } from "./separate-store.ts";

const timezone = "Asia/Seoul";
const app = "shop";
const silent = (): void => {};

const test = suite("Roles apart: an event store, a worker and an API, each a process of its own");

test("traffic through the API is projected, attributed and reported by the worker", async () => {
  const workerDirectory = await temporaryDirectory();
  const apiDirectory = await temporaryDirectory();
  const separate = await runSeparateStore();
  const worker = await runApplication(workerDirectory.path, { ...separate.environment, ROLES: "worker" });
  const api = await runApplication(apiDirectory.path, { ...separate.environment, ROLES: "api" });
  try {
    const owner = api.client((await registerApp(api.operator)).api);
    const simulation = simulate({ seed: 5, now: Date.now(), timezone, days: 30, devices: 300, visits: 0 });
    const links = await createLinks(owner, simulation.links, silent);
    await pushTouchpoints(owner, app, simulation.touchpoints, links, silent);
    await pushAppEvents(owner, app, simulation.appEvents, silent);

    const today = localDate(timezone, Date.now());
    const { pages } = await runReport<ActualsPage>(owner, "actuals", app, demoQuery(addDays(today, -31), today));
    assert.equal(differences(simulation.truth.rows(), reportedRows(pages)), []);

    // The worker serves how it is doing, and nothing else.
    assert.is((await fetch(`${worker.run.baseUrl}/readyz`)).status, 200);
    assert.is((await fetch(`${worker.run.baseUrl}/admin/v1/apps`)).status, 404);
    // Any EventStoreDB client reads the log.
    const client = EventStoreDBClient.connectionString(separate.store.url);
    const types: (string | undefined)[] = [];
    for await (const { event } of client.readStream(logIdentityStream)) types.push(event?.type);
    assert.equal(types, ["LogOpened"]);
    await client.dispose();
  } finally {
    assert.is(await api.stop(), 0);
    assert.is(await worker.stop(), 0);
    assert.is(await separate.store.stop(), 0);
    await Promise.all([separate.end(), workerDirectory.remove(), apiDirectory.remove()]);
  }
});

test.run();
