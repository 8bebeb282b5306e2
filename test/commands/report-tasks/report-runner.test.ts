import { suite } from "uvu";
import * as assert from "uvu/assert";
import { failureNotifications } from "../../../domain/report-tasks/failure-notifications.ts";
import { notificationsIn } from "../../../infra/http/i18n/messages.ts";
import { threeCampaigns } from "./advertising.ts";
import { clicksByCampaign, type Reports, startReports } from "./reports.ts";

let reports: Reports;
const runner = suite("the report runner");
runner.before(async () => {
  reports = await startReports();
  await reports.writeFacts(threeCampaigns);
});
runner.before.each(() => {
  Object.assign(reports.circumstances, {
    factsHavePassed: () => true,
    beforeRun: async () => undefined,
    now: () => new Date(),
    timeoutMs: 60_000,
  });
  reports.failures.length = 0;
});
runner.after(() => reports.close());

const typesOf = async (taskId: string) => (await reports.events(taskId)).map(({ type }) => type);
const endOf = async (taskId: string) =>
  (await reports.events(taskId)).at(-1)?.data as { readonly [key: string]: unknown };
const isEnded = async (taskId: string): Promise<boolean> =>
  /Succeeded|Failed/.test((await typesOf(taskId)).at(-1) ?? "");
/** The clock of the runner stands at so many seconds from now. */
const clock = (): { advance(seconds: number): void } => {
  let ahead = 0;
  reports.circumstances.now = () => new Date(Date.now() + ahead * 1000);
  return {
    advance: (seconds) => {
      ahead += seconds;
    },
  };
};

runner("runs a task and records how it ended", async () => {
  const taskId = await reports.ended(clicksByCampaign);
  const events = await reports.events(taskId);
  assert.equal(
    events.map(({ type }) => type),
    ["ReportRequested", "ReportStarted", "ReportSucceeded"],
  );
  const { endedAt, rowsHash, ...rest } = await endOf(taskId);
  assert.equal(rest, { taskId, rowCount: 3, notifications: [] });
  assert.match(String(rowsHash), /^[0-9a-f]{64}$/);
  assert.ok(Date.parse(String(endedAt)) > 0);
  assert.equal(reports.failures, []);
});

runner("waits until the facts have passed the position of the request", async () => {
  let asked = 0;
  reports.circumstances.factsHavePassed = () => {
    asked += 1;
    return asked > 3;
  };
  const taskId = await reports.ended(clicksByCampaign);
  assert.is(asked, 4);
  assert.is((await endOf(taskId)).rowCount, 3);
});

runner("waits for decisions at or below the position, not for later ones", async () => {
  const taskId = await reports.requested(clicksByCampaign);
  const { asOfPosition } = ((await reports.read(taskId)).json as { task: { asOfPosition: string } }).task;
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

runner("fails a task that has waited for 60 s", async () => {
  const taskId = await reports.requested(clicksByCampaign);
  const { advance } = clock();
  let rounds = 0;
  reports.circumstances.factsHavePassed = () => {
    rounds += 1;
    if (rounds === 3) advance(61);
    return false;
  };
  await reports.runUntil(() => isEnded(taskId));
  assert.equal(await typesOf(taskId), ["ReportRequested", "ReportFailed"]);
  assert.is((await endOf(taskId)).reason, "facts_behind");
  assert.equal(
    ((await reports.read(taskId)).json as { notifications: unknown }).notifications,
    notificationsIn("en", [failureNotifications.facts_behind]),
  );
});

runner("fails a task whose statement takes too long, and says what to ask for instead", async () => {
  const release = await reports.lockFacts();
  try {
    reports.circumstances.timeoutMs = 100;
    const taskId = await reports.ended(clicksByCampaign);
    assert.equal(await typesOf(taskId), ["ReportRequested", "ReportStarted", "ReportFailed"]);
    assert.is((await endOf(taskId)).reason, "too_slow");
    const { notifications } = (await reports.read(taskId)).json as { notifications: { code: string; type: string }[] };
    assert.equal(notifications, notificationsIn("en", [failureNotifications.too_slow]));
    assert.match(JSON.stringify(notifications), /REPORT_TOO_SLOW.*WARNING.*fewer days, fewer group-bys.*filter/);
  } finally {
    await release();
  }
});

runner("goes on where a killed one stopped, and ends alike", async () => {
  const whole = await reports.ended(clicksByCampaign);
  const taskId = await reports.requested(clicksByCampaign);
  reports.circumstances.beforeRun = async () => new Promise(() => undefined);
  await reports.runUntil(async () => (await typesOf(taskId)).at(-1) === "ReportStarted");

  reports.circumstances.beforeRun = async () => undefined;
  await reports.runUntil(() => isEnded(taskId));
  assert.equal(await typesOf(taskId), ["ReportRequested", "ReportStarted", "ReportSucceeded"]);
  assert.is((await endOf(taskId)).rowsHash, (await endOf(whole)).rowsHash);
});

runner("tries again what fails, and gives up after 60 s", async () => {
  const taskId = await reports.requested(clicksByCampaign);
  const { advance } = clock();
  let runs = 0;
  reports.circumstances.beforeRun = async () => {
    runs += 1;
    if (runs === 2) advance(61);
    throw new Error("the database went away");
  };
  await reports.runUntil(() => isEnded(taskId));
  assert.is(runs, 2);
  assert.is((await endOf(taskId)).reason, "internal_error");
  const answer = (await reports.read(taskId)).json as { task: { asOfPosition: string } };
  assert.equal(answer, {
    task: {
      status: "FAILURE",
      taskId,
      endedAt: (await endOf(taskId)).endedAt,
      asOfPosition: answer.task.asOfPosition,
    },
    notifications: notificationsIn("en", [failureNotifications.internal_error]),
  });
});

runner("computes lost rows again when somebody asks for them", async () => {
  const taskId = await reports.ended(clicksByCampaign);
  const before = await reports.read(taskId);
  await reports.loseRows();
  const reading = reports.read(taskId);
  let after: Awaited<typeof reading> | null = null;
  void reading.then((answer) => {
    after = answer;
  });
  await reports.runUntil(async () => after !== null);
  assert.equal((await reading).json, before.json);
  assert.is((await typesOf(taskId)).filter((type) => type === "ReportSucceeded").length, 1);
  assert.equal(reports.failures, []);
});

runner.run();
