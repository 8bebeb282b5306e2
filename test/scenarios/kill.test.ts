// time limit: 300 s
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import type { ApiClient } from "../../infra/api-client/api-client.ts";
import type { ActualsPage } from "../../infra/api-client/report-pages.ts";
import { runReport } from "../../infra/api-client/report-tasks.ts";
import { differences } from "../../infra/demo/ground-truth.ts";
import { createLinks, openLink, pushAppEvents, pushTouchpoints } from "../../infra/demo/push.ts";
import { demoQuery, reportedRows } from "../../infra/demo/report.ts";
import { simulate } from "../../infra/demo/simulation.ts";
import { type RunningApplication, runApplication, temporaryDirectory } from "../support/application-process.ts";
import { program } from "../support/paths.ts";

const kills = 4;
const timezone = "Asia/Seoul";
const app = { name: "shop", timezone, currency: "USD", ownerEmail: "owner@shop.example" };
const timeoutMs = 120_000;
const silent = (): void => {};

const test = suite("kill -9 at random points of the simulation");

test("it comes up by itself, nothing acknowledged is lost, nothing is counted twice", async () => {
  const directory = await temporaryDirectory();
  let application = await runApplication(directory.path);
  const restart = async (): Promise<RunningApplication> =>
    runApplication(directory.path, { PORT: String(application.run.port) });
  const killedAfter: number[] = [];
  try {
    // Given an app with links
    const registered = (await application.operator.send("POST", "/admin/v1/apps", app)) as {
      data: { tokens: { api: string } };
    };
    const owner = application.client(registered.data.tokens.api, timeoutMs);
    const simulation = simulate({ seed: 20, now: Date.now(), timezone, days: 30, devices: 1_000, visits: 40 });
    const links = await createLinks(owner, simulation.links, silent);

    // When its traffic is pushed while the process is killed and started again
    const traffic = (async (): Promise<readonly Visited[]> => {
      for (const touchpoints of slices(simulation.touchpoints, 60)) {
        await pushTouchpoints(owner, app.name, touchpoints, links, silent);
      }
      for (const events of slices(simulation.appEvents, 60)) await pushAppEvents(owner, app.name, events, silent);
      const visited: Visited[] = [];
      for (const visit of simulation.visits) {
        const link = links[visit.link];
        if (link === undefined) throw new Error("A visit without a link");
        const clickId = await untilOpened(link.shortUrl, visit.userAgent);
        const install = { ...visit.install, eventTimestamp: Date.now(), referrer: { clickId } };
        await pushAppEvents(owner, app.name, [install], silent);
        visited.push({ clickId, eventId: install.eventId });
      }
      return visited;
    })();
    for (let number = 0; number < kills; number += 1) {
      const delay = Math.round(Math.random() * 1_500);
      killedAfter.push(delay);
      await Promise.race([pause(delay), traffic]);
      await application.kill();
      application = await restart();
    }
    const visited = await traffic;

    // Then every report and every read model says what was acknowledged, once
    const today = localDate(timezone, Date.now());
    const rows = await reported(owner, addDays(today, -31), addDays(today, -1));
    const truth = simulation.truth.rows().filter(({ date }) => date < today);
    assert.equal(differences(truth, rows), [], `killed after ${killedAfter.join(", ")} ms`);
    for (const { clickId, eventId } of visited) {
      const { data } = (await application.operator.send(
        "GET",
        `/admin/v1/apps/${app.name}/attributions/${eventId}`,
      )) as {
        data: { winner: { touchpointId: string } | null };
      };
      assert.is(data.winner?.touchpointId, clickId, `killed after ${killedAfter.join(", ")} ms`);
    }
    assert.equal(await verify(directory.path), { code: 0 });
  } finally {
    await application.stop();
    await directory.remove();
  }
});

interface Visited {
  readonly clickId: string;
  readonly eventId: string;
}

function* slices<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Opens a link until somebody answers: a click that was not answered may count or not, one that was must. */
async function untilOpened(url: string, userAgent: string): Promise<string> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await openLink(url, { userAgent });
    } catch (fault) {
      if (Date.now() > deadline) throw fault;
      await pause(50);
    }
  }
}

async function reported(owner: ApiClient, from: string, to: string) {
  const { pages } = await runReport<ActualsPage>(owner, "actuals", app.name, demoQuery(from, to));
  return reportedRows(pages);
}

/** `touchledger verify`: compares every read model with a clean replay of the log. */
async function verify(dataDirectory: string): Promise<{ code: number | null; output?: string }> {
  const child = spawn(process.execPath, [program, "verify"], { env: { ...process.env, DATA_DIR: dataDirectory } });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  await once(child, "close");
  return child.exitCode === 0 ? { code: 0 } : { code: child.exitCode, output: Buffer.concat(output).toString() };
}

test.run();
