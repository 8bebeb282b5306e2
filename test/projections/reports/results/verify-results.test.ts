import { suite } from "uvu";
import * as assert from "uvu/assert";
import { verifyResults } from "../../../../projections/reports/results/verify-results.ts";
import { threeCampaigns } from "../../../commands/report-tasks/advertising.ts";
import { clicksByCampaign, type Reports, startReports } from "../../../commands/report-tasks/reports.ts";

const verifying = suite<{ reports: Reports; taskId: string }>("verification of stored results");
verifying.before(async (context) => {
  context.reports = await startReports();
  await context.reports.writeFacts(threeCampaigns);
  context.taskId = await context.reports.ended(clicksByCampaign);
  await context.reports.ended({ ...clicksByCampaign, groupBys: [] });
});
verifying.after(({ reports }) => reports.close());

verifying("finds the rows that were computed", async ({ reports }) => {
  assert.equal(await verifyResults(reports.tasks), { results: 2, rows: 4, differing: [] });
});

for (const [change, statement] of [
  ["a value", `update work.result_rows set cells = replace(cells, '3', '30') where task_id = :taskId`],
  ["a group-by", `update work.result_rows set group_bys = '{Other}' where task_id = :taskId and row_number = 0`],
  ["the text of a search", `update work.result_rows set searched = 'other' where task_id = :taskId and row_number = 0`],
  ["the order", `update work.result_rows set row_number = 3 where task_id = :taskId and row_number = 0`],
  ["the total", `update work.results set total = '{"values":[]}' where task_id = :taskId`],
  ["a missing row", `delete from work.result_rows where task_id = :taskId and row_number = 2`],
  [
    "a further row",
    `insert into work.result_rows (task_id, row_number, group_bys, cells, searched)
     values (:taskId, 3, '{}', '{}', '')`,
  ],
] as const) {
  verifying(`finds ${change} that is not the computed one`, async ({ reports: { tasks }, taskId }) => {
    const saved = {
      rows: await tasks.db("work.result_rows").select(),
      results: await tasks.db("work.results").select(),
    };
    await tasks.db.raw(statement, { taskId });
    assert.equal((await verifyResults(tasks)).differing, [taskId]);
    await tasks.db.raw("truncate work.results, work.result_rows");
    await tasks.db("work.results").insert(saved.results);
    await tasks.db("work.result_rows").insert(saved.rows);
    assert.equal((await verifyResults(tasks)).differing, []);
  });
}

verifying.run();
