import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isExhausted } from "../../../commands/reactors/retry-policy.ts";
import { type ReportRunnerDeps, reportRunner } from "../../../commands/report-tasks/report-runner.ts";
import { failureNotifications } from "../../../domain/reporting/notifications.ts";
import { notificationsIn } from "../../../infra/http/i18n/messages.ts";
import { requestedRows } from "../../../projections/reports/results/stored-rows.ts";
import type { Answer } from "../../support/raw-client.ts";
import { threeCampaigns } from "../../support/reports/campaign-clicks.ts";
import { clicksByCampaign, type Reports, startReports } from "../../support/reports/report-application.ts";

let reports: Reports;
const runner = suite("the report runner");
runner.before(async () => {
  reports = await startReports();
  await reports.writeFacts(threeCampaigns);
});
runner.before.each(() => {
  Object.assign(reports.circumstances, {
    factsHavePassed: () => true,
    atPosition: async (task) => task,
    beforeRun: async () => undefined,
    now: () => new Date(),
  } satisfies Partial<Reports["circumstances"]>);
  reports.failures.length = 0;
});
runner.after(() => reports.close());

const typesOf = async (taskId: string) => (await reports.events(taskId)).map(({ type }) => type);
const endOf = async (taskId: string) =>
  (await reports.events(taskId)).at(-1)?.data as { readonly [key: string]: unknown };
const isEnded = async (taskId: string): Promise<boolean> =>
  /Succeeded|Failed/.test((await typesOf(taskId)).at(-1) ?? "");
const taskIn = ({ json }: Answer) => (json as { task: { taskId: string; status: string; asOfPosition: string } }).task;
/** The runner's clock, ahead of the real one by the seconds it was advanced. */
const clock = () => {
  let ahead = 0;
  reports.circumstances.now = () => new Date(Date.now() + ahead * 1000);
  return (seconds: number): void => {
    ahead += seconds;
  };
};

/** Lets every run fail, the second one 61 s later; returns the number of runs so far. */
function failingFor61Seconds(): () => number {
  const advance = clock();
  let runs = 0;
  reports.circumstances.beforeRun = async () => {
    runs += 1;
    if (runs === 2) advance(61);
    throw new Error("the database is unavailable");
  };
  return () => runs;
}

runner("gives up reports that fail, or do not become runnable, for 60 s", () => {
  const { retry, limits } = reportRunner({} as ReportRunnerDeps<never>);
  assert.equal([retry.giveUp, limits.waitMs], [{ failures: 3, afterMs: 60_000 }, 60_000]);
  const exhaustedAfter = (count: number) =>
    [59_999, 60_000, 60_001].map((now) => isExhausted({ count, since: 0, until: 0 }, now, retry));
  assert.equal([2, 3, 4].map(exhaustedAfter), [
    [false, false, false],
    [false, true, true],
    [false, true, true],
  ]);
});

runner("records the number and hash of the rows", async () => {
  const taskId = await reports.ended(clicksByCampaign);
  const { endedAt, rowsHash, ...rest } = await endOf(taskId);
  assert.equal(rest, { taskId, rowCount: 3, notifications: [] });
  assert.match(String(rowsHash), /^[0-9a-f]{64}$/);
  assert.ok(Date.parse(String(endedAt)) > 0);
  assert.equal(
    [await typesOf(taskId), reports.failures],
    [["ReportRequested", "ReportStarted", "ReportSucceeded"], []],
  );
});

runner("waits for decisions up to the position of the request", async () => {
  const taskId = await reports.requested(clicksByCampaign);
  const { asOfPosition } = taskIn(await reports.read(taskId));
  await reports.openTarget(BigInt(asOfPosition));
  let rounds = 0;
  reports.circumstances.factsHavePassed = () => {
    rounds += 1;
    return true;
  };
  await reports.runUntil(async () => rounds > 3);
  assert.equal(await typesOf(taskId), ["ReportRequested"]);
  await reports.openTarget(BigInt(asOfPosition) + 1n);
  await reports.runUntil(() => isEnded(taskId));
  assert.is((await typesOf(taskId)).at(-1), "ReportSucceeded");
  await reports.openTarget(null);
});

runner("fails a task that the facts do not reach within 60 s", async () => {
  const taskId = await reports.requested(clicksByCampaign);
  const advance = clock();
  let rounds = 0;
  reports.circumstances.factsHavePassed = () => {
    rounds += 1;
    if (rounds === 3) advance(61);
    return false;
  };
  await reports.runUntil(() => isEnded(taskId));
  assert.equal(await typesOf(taskId), ["ReportRequested", "ReportFailed"]);
  const { notifications } = (await reports.read(taskId)).json as { notifications: unknown };
  assert.equal(notifications, notificationsIn("en", [failureNotifications.facts_behind]));
});

runner("fails a task alone whose moment the log does not have", async () => {
  const [lost, other] = [await reports.requested(clicksByCampaign), await reports.requested(clicksByCampaign)];
  const advance = clock();
  const failed = () => reports.failures.length;
  reports.circumstances.atPosition = async (task) => {
    if (task.taskId !== lost) return task;
    if (failed() === 1) advance(61);
    return null;
  };
  await reports.runUntil(async () => (await isEnded(lost)) && (await isEnded(other)));
  assert.equal(await typesOf(other), ["ReportRequested", "ReportStarted", "ReportSucceeded"]);
  assert.equal(await typesOf(lost), ["ReportRequested", "ReportStarted", "ReportFailed"]);
  assert.is((await endOf(lost)).reason, "internal_error");
});

runner("fails a task alone whose moment cannot be read", async () => {
  const [lost, other] = [await reports.requested(clicksByCampaign), await reports.requested(clicksByCampaign)];
  const advance = clock();
  reports.circumstances.atPosition = async (task) => {
    if (task.taskId !== lost) return task;
    if (reports.failures.length === 1) advance(61);
    throw new Error("the event cannot be read");
  };
  await reports.runUntil(async () => (await isEnded(lost)) && (await isEnded(other)));
  assert.is((await typesOf(other)).at(-1), "ReportSucceeded");
  assert.is((await endOf(lost)).reason, "internal_error");
});

runner("retries failed reports, and gives up after 60 s and three attempts", async () => {
  const taskId = await reports.requested(clicksByCampaign);
  const runs = failingFor61Seconds();
  await reports.runUntil(() => isEnded(taskId));
  const { endedAt, reason } = await endOf(taskId);
  const answer = await reports.read(taskId);
  assert.equal([runs(), reason], [3, "internal_error"]);
  assert.equal(answer.json, {
    task: { status: "FAILURE", taskId, endedAt, asOfPosition: taskIn(answer).asOfPosition },
    notifications: notificationsIn("en", [failureNotifications.internal_error]),
  });
});

runner("resumes where a killed one stopped, with the same rows", async () => {
  const whole = await reports.ended(clicksByCampaign);
  const taskId = await reports.requested(clicksByCampaign);
  reports.circumstances.beforeRun = async () => new Promise(() => undefined);
  await reports.runUntil(async () => (await typesOf(taskId)).at(-1) === "ReportStarted");

  reports.circumstances.beforeRun = async () => undefined;
  await reports.runUntil(() => isEnded(taskId));
  assert.equal(await typesOf(taskId), ["ReportRequested", "ReportStarted", "ReportSucceeded"]);
  assert.is((await endOf(taskId)).rowsHash, (await endOf(whole)).rowsHash);
});

/** The response to a read, during which the runner runs. */
async function readMeanwhile(taskId: string): Promise<Answer> {
  let answer: Answer | null = null;
  const reading = reports.read(taskId).then((read) => {
    answer = read;
    return read;
  });
  await reports.runUntil(async () => answer !== null);
  return reading;
}

runner("computes lost rows again at their position when they are read, and records nothing", async () => {
  const taskId = await reports.ended(clicksByCampaign);
  const before = await reports.read(taskId);
  await reports.loseRows();
  reports.circumstances.atPosition = async (task) => ({ ...task, position: 7n });
  const positions: bigint[] = [];
  reports.circumstances.beforeRun = async ({ position }) => void positions.push(position);
  assert.equal((await readMeanwhile(taskId)).json, before.json);
  assert.equal(positions, [7n]);
  assert.is((await typesOf(taskId)).filter((type) => type === "ReportSucceeded").length, 1);
  assert.equal(reports.failures, []);
});

const requestedTasks = () => requestedRows(reports.tasks.db, 10);

runner("computes lost rows that take too long once for each read of them", async () => {
  const taskId = await reports.ended(clicksByCampaign);
  const before = await reports.read(taskId);
  await reports.loseRows();
  const release = await reports.lockFacts();
  reports.circumstances.timeoutMs = 100;
  const reading = reports.read(taskId);
  await reports.runUntil(async () => (await requestedTasks()).length > 0);
  await reports.runUntil(async () => (await requestedTasks()).length === 0);
  await release();
  reports.circumstances.timeoutMs = 60_000;
  assert.equal(
    reports.failures.map((failure) => String((failure as readonly unknown[])[0])),
    [`RowsNotRecomputed: Lost rows of report ${taskId} were not computed again: too_slow`],
  );
  assert.equal((await readMeanwhile(taskId)).json, before.json);
  // It has waited since the beginning, for 5 s at most.
  assert.ok([200, 503].includes((await reading).status));
});

runner("gives up to compute lost rows after 60 s of failures, until they are read again", async () => {
  const taskId = await reports.ended(clicksByCampaign);
  const before = await reports.read(taskId);
  await reports.loseRows();
  const reading = reports.read(taskId);
  const runs = failingFor61Seconds();
  await reports.runUntil(async () => runs() === 3 && (await requestedTasks()).length === 0);
  reports.circumstances.beforeRun = async () => undefined;
  assert.equal((await readMeanwhile(taskId)).json, before.json);
  // It has waited since the beginning, for 5 s at most.
  assert.ok([200, 503].includes((await reading).status));
  assert.equal(await typesOf(taskId), ["ReportRequested", "ReportStarted", "ReportSucceeded"]);
});

runner("stores no rows of a report that is canceled before they are stored", async () => {
  const taskId = await reports.requested(clicksByCampaign);
  reports.circumstances.beforeRun = async (task) => {
    if (task.taskId === taskId) await reports.cancel(taskId);
  };
  await reports.runUntil(async () => (await typesOf(taskId)).length === 3);
  await reports.ended(clicksByCampaign);
  assert.equal(await typesOf(taskId), ["ReportRequested", "ReportStarted", "ReportCanceled"]);
  assert.equal(Object.keys((await reports.read(taskId)).json as object), ["task"]);
  assert.equal(reports.failures, []);
});

runner("does not run a report that has ended, although its list still has it", async () => {
  const [succeeded, canceled] = [await reports.ended(clicksByCampaign), await reports.requested(clicksByCampaign)];
  await reports.cancel(canceled);
  const runs: string[] = [];
  const deps = {
    log: reports.log,
    now: () => new Date(),
    atPosition: async (task: { readonly taskId: string }) => task,
    run: async ({ taskId }: { readonly taskId: string }) => {
      runs.push(taskId);
      return { outcome: "abandoned" };
    },
  } as unknown as ReportRunnerDeps<{ taskId: string; appId: number; position: bigint; requestedBy: null }>;
  const outcomes = await Promise.all(
    [succeeded, canceled].map((taskId) => {
      const work = { appId: 1, position: 1n, requestedBy: null };
      const listed = { ...work, task: { ...work, taskId }, lostRowsHash: null };
      return reportRunner(deps).act(listed, { signal: new AbortController().signal, epoch: 1n });
    }),
  );
  assert.equal([outcomes, runs], [[{ outcome: "ended" }, { outcome: "ended" }], []]);
});

const pending = suite("a report while two others run");
pending.before(async () => {
  reports = await startReports();
  await reports.writeFacts(threeCampaigns);
});
pending.after(() => reports.close());

pending("is pending in the response to its request", async () => {
  const tasks = [];
  for (let number = 0; number < 3; number += 1) tasks.push(taskIn(await reports.request(clicksByCampaign)));
  const answered = tasks.map(({ status }) => status);
  assert.equal(answered, ["RUNNING", "RUNNING", "PENDING"]);
  // A status does not go back.
  const read = await Promise.all(tasks.map(async ({ taskId }) => taskIn(await reports.read(taskId)).status));
  assert.equal(read, answered);
  for (const { taskId } of tasks) assert.is((await reports.cancel(taskId)).status, 204);
});

pending("is pending until one of them has ended, then runs", async () => {
  const release = await reports.lockFacts();
  const ids = await Promise.all([1, 2, 3].map(() => reports.requested(clicksByCampaign)));
  const statuses = async () => {
    const answers = await Promise.all(ids.map((taskId) => reports.read(taskId)));
    return answers.map((answer) => taskIn(answer).status).sort();
  };
  assert.equal(await statuses(), ["PENDING", "RUNNING", "RUNNING"]);
  let released: Promise<void> | null = null;
  await reports.runUntil(async () => {
    if (released === null && (await reports.waitingStatements()) === 2) {
      assert.equal(await statuses(), ["PENDING", "RUNNING", "RUNNING"]);
      released = release();
    }
    return (await statuses()).every((status) => status === "SUCCESS");
  });
  assert.equal(reports.failures, []);
});

runner.run();
pending.run();
