import { suite } from "uvu";
import * as assert from "uvu/assert";
import { threeCampaigns } from "../../commands/report-tasks/advertising.ts";
import { clicksByCampaign, lastWeek, type Reports, startReports } from "../../commands/report-tasks/reports.ts";
import { assertRefused } from "./refused-explanation.ts";

const today = { ...clicksByCampaign, from: lastWeek[6] };
const spring = { row: ["Spring sale"], metric: "clicks" };
let reports: Reports;
let taskId = "";
const refusing = suite("explaining a cell is refused");
refusing.before(async () => {
  reports = await startReports();
  await reports.writeFacts(threeCampaigns);
  taskId = await reports.ended(today);
});
refusing.after(() => reports.close());

for (const [what, cell, loc] of [
  ["a row that the report has not", { ...spring, row: ["Winter sale"] }, ["body", "row"]],
  ["a row of too few values", { ...spring, row: [] }, ["body", "row"]],
  ["a row of too many values", { ...spring, row: ["Spring sale", ""] }, ["body", "row"]],
  ["a metric that was not asked", { ...spring, metric: "app_installs" }, ["body", "metric"]],
  ["a metric that does not exist", { ...spring, metric: "nothing" }, ["body", "metric"]],
  ["a date, which its cells have not", { ...spring, date: today.from }, ["body", "date"]],
  ["an interval, which its cells have not", { ...spring, interval: 0 }, ["body", "interval"]],
  ["a page of 101", { ...spring, size: 101 }, ["body", "size"]],
  ["a field of no meaning", { ...spring, page: 1 }, ["body", "page"]],
] as const) {
  refusing(`for ${what}`, async () => {
    await assertRefused(reports, taskId, cell, loc);
  });
}

refusing("of a task that has not succeeded", async () => {
  const codeOf = async (id: string): Promise<unknown> => {
    const { status, json } = await reports.explain(id, spring);
    return [status, (json as { code: string }).code];
  };
  const open = await reports.requested(today);
  assert.equal(await codeOf(open), [409, "REPORT_NOT_SUCCEEDED"]);
  await reports.cancel(open);
  assert.equal(await codeOf(open), [409, "REPORT_NOT_SUCCEEDED"]);
});

refusing("when it takes too long, saying what to narrow", async () => {
  const unlock = await reports.lockFacts();
  reports.circumstances.timeoutMs = 20;
  const answer = await reports.explain(taskId, spring);
  reports.circumstances.timeoutMs = 60_000;
  await unlock();
  const { code, detail } = answer.json as { code: string; detail: string };
  assert.equal([answer.status, code], [503, "EXPLANATION_TOO_SLOW"]);
  assert.match(detail, /more group-bys, fewer days or a filter/);
  assert.equal(reports.failures, []);
});

refusing.run();
