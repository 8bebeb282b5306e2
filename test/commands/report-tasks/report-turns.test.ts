import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventMetadata } from "../../../commands/metadata.ts";
import { runReports } from "../../../commands/report-tasks/report-runner.ts";
import { reportTaskStream } from "../../../domain/streams.ts";
import { threeCampaigns } from "./advertising.ts";
import { clicksByCampaign, type Reports, startReports } from "./reports.ts";

let reports: Reports;
const runner = suite("the report runner, among many tasks,");
runner.before(async () => {
  reports = await startReports();
  await reports.writeFacts(threeCampaigns);
});
runner.before.each(() => {
  reports.circumstances.beforeRun = async () => undefined;
});
runner.after(() => reports.close());

const isEnded = async (taskId: string): Promise<boolean> =>
  /Succeeded|Failed/.test((await reports.events(taskId)).at(-1)?.type ?? "");
/** A task of any app, asked for without the API. */
const requestedBy = async (appId: number): Promise<string> => {
  const taskId = randomUUID();
  const requestedAt = new Date().toISOString();
  const data = { taskId, appId, report: "actuals", query: clicksByCampaign, onlyChannels: null, requestedAt };
  const cause = { actor: { kind: "operator" }, requestId: taskId, occurredAt: requestedAt } as const;
  const event = { id: randomUUID(), type: "ReportRequested", data, metadata: eventMetadata("ReportRequested", cause) };
  await reports.log.append(reportTaskStream(taskId), "no_stream", [event]);
  return taskId;
};
/** Lets everything end; answers the apps in the order of their ends, with who ran beside each. */
const endings = async (taskIds: readonly string[]) => {
  const ends: { readonly appId: number; readonly running: readonly number[] }[] = [];
  const running: number[] = [];
  reports.circumstances.beforeRun = async ({ appId }) => {
    running.push(appId);
    while (ends.length === 0 && running.length < 2) await delay(1);
    await delay(20);
    ends.push({ appId, running: [...running].sort() });
    running.splice(running.indexOf(appId), 1);
  };
  await reports.runUntil(async () => (await Promise.all(taskIds.map(isEnded))).every((ended) => ended));
  return ends;
};

runner("lets apps take turns: 20 heavy reports of one do not starve another's", async () => {
  const heavy: string[] = [];
  for (let number = 0; number < 20; number += 1) heavy.push(await requestedBy(1));
  const ends = await endings([...heavy, await requestedBy(2)]);
  assert.is(ends.length, 21);
  assert.equal(ends[0]?.running, [1, 2], "a place for each while both wait");
  assert.ok(ends.findIndex(({ appId }) => appId === 2) < 3);
  assert.ok(
    ends.some(({ running }) => running.join() === "1,1"),
    "both places for one alone",
  );
});

runner("lets an app that asks while another has both places be the next", async () => {
  const heavy = await Promise.all(Array.from({ length: 6 }, () => requestedBy(1)));
  const order: number[] = [];
  let light: Promise<string> | null = null;
  reports.circumstances.beforeRun = async ({ appId }) => {
    order.push(appId);
    if (order.length === 2) light = requestedBy(2);
    while (order.length < 2) await delay(1);
    await light;
  };
  await reports.runUntil(async () => (await Promise.all(heavy.map(isEnded))).every((ended) => ended));
  assert.equal(order.slice(0, 3), [1, 1, 2]);
});

runner("look at the list when somebody rings, and every half second when nobody does", async () => {
  const killed = new AbortController();
  const looks: number[] = [];
  let ring = (): void => {};
  let looked = (): void => {};
  const look = (): Promise<void> =>
    new Promise((resolve) => {
      looked = resolve;
    });
  const first = look();
  const running = runReports(
    {
      log: reports.log,
      openTasks: async () => {
        looks.push(performance.now());
        looked();
        return [];
      },
      lostTasks: async () => [],
      canceledAmong: async () => [],
      factsHavePassed: async () => true,
      hasUndecided: async () => false,
      run: async () => ({ outcome: "abandoned" }),
      onProgress: (listener) => {
        ring = listener;
        return () => {
          ring = () => {};
        };
      },
      failed: (failure) => assert.unreachable(String(failure)),
      now: () => new Date(),
    },
    killed.signal,
  );
  await first;
  const second = look();
  ring();
  await second;
  await look();
  killed.abort();
  await running;
  const [one = 0, two = 0, three = 0] = looks;
  assert.ok(two - one < 400, `${two - one} ms after the bell`);
  assert.ok(three - two > 400, `${three - two} ms without`);
});

runner.run();
