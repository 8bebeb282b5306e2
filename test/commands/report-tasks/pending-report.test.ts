import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Answer } from "../../support/client.ts";
import { threeCampaigns } from "./advertising.ts";
import { clicksByCampaign, type Reports, startReports } from "./reports.ts";

let reports: Reports;
const pending = suite("a report that cannot start at once");
pending.before(async () => {
  reports = await startReports();
  await reports.writeFacts(threeCampaigns);
});
pending.after(() => reports.close());

const taskOf = ({ json }: Answer) => (json as { task: { taskId: string; status: string } }).task;

pending("is pending from its request on, when as many others are open as run at once", async () => {
  const asked = [];
  for (let number = 0; number < 4; number += 1) asked.push(taskOf(await reports.request(clicksByCampaign)));
  assert.equal(
    asked.map(({ status }) => status),
    ["RUNNING", "RUNNING", "PENDING", "PENDING"],
  );
  for (const { taskId } of asked) await reports.cancel(taskId);
  const { taskId, status } = taskOf(await reports.request(clicksByCampaign));
  assert.is(status, "RUNNING");
  await reports.cancel(taskId);
});

pending("is pending until it has started, then runs", async () => {
  const release = await reports.lockFacts();
  const ids = await Promise.all([1, 2, 3].map(() => reports.requested(clicksByCampaign)));
  const statuses = async () => {
    const answers = await Promise.all(ids.map((taskId) => reports.read(taskId)));
    return answers.map((answer) => taskOf(answer).status).sort();
  };
  assert.equal(await statuses(), ["PENDING", "PENDING", "PENDING"]);
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

pending.run();
