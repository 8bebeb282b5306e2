import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reportsToVerify } from "../../../../infra/composition/reports-to-verify.ts";
import type { SchemaName } from "../../../../projections/projection.ts";
import { type VerifiedReports, verifyResults } from "../../../../projections/reports/results/verify-results.ts";
import { threeCampaigns } from "../../../support/reports/campaign-clicks.ts";
import { clicksByCampaign, type Reports, startReports } from "../../../support/reports/report-application.ts";

const verified = (
  { log, tasks }: Pick<Reports, "log" | "tasks">,
  factsSchema = () => "facts" as SchemaName,
): Promise<VerifiedReports> =>
  reportsToVerify({ live: async (name) => (name === "facts" ? { db: tasks.db, schema: factsSchema() } : tasks) }, log);

const verifying = suite<{ reports: Reports; taskId: string }>("verification of stored results");
verifying.before(async (context) => {
  context.reports = await startReports();
  await context.reports.writeFacts(threeCampaigns);
  context.taskId = await context.reports.ended(clicksByCampaign);
  await context.reports.ended({ ...clicksByCampaign, groupBys: [] });
});
verifying.after(({ reports }) => reports.close());

verifying("finds the rows that were computed", async ({ reports }) => {
  const results = await verifyResults(await verified(reports));
  assert.equal(results, { results: 2, rows: 4, differing: [], computed: 2, notReproduced: [] });
});

verifying("computes reports from the generation of the facts that is live then", async ({ reports }) => {
  let schema = "facts_replaced";
  const opened = await verified(reports, () => schema as SchemaName);
  schema = "facts";
  assert.equal((await verifyResults(opened)).notReproduced, []);
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
  verifying(`finds ${change} that is not the computed one`, async ({ reports, taskId }) => {
    const { tasks } = reports;
    const saved = {
      rows: await tasks.db("work.result_rows").select(),
      results: await tasks.db("work.results").select(),
    };
    await tasks.db.raw(statement, { taskId });
    const { differing, notReproduced } = await verifyResults(await verified(reports));
    assert.equal([differing, notReproduced], [[taskId], []]);
    await tasks.db.raw("truncate work.results, work.result_rows");
    await tasks.db("work.results").insert(saved.results);
    await tasks.db("work.result_rows").insert(saved.rows);
    assert.equal((await verifyResults(await verified(reports))).differing, []);
  });
}

verifying("computes reports again whose rows are not stored, as after a restore", async ({ reports }) => {
  await reports.loseRows();
  const results = await verifyResults(await verified(reports));
  assert.equal(results, { results: 0, rows: 0, differing: [], computed: 2, notReproduced: [] });
});

verifying("names reports whose rows do not follow from the facts, and once", async ({ reports, taskId }) => {
  await reports.tasks.db.raw(
    "update facts.touchpoints set human = false where position = (select max(position) from facts.touchpoints)",
  );
  // As after they were read, and computed again.
  await reports.tasks.db.raw("insert into work.results (task_id, rows_hash) values (?, 'of other rows')", [taskId]);
  const { results, differing, notReproduced } = await verifyResults(await verified(reports));
  assert.equal([results, differing, notReproduced.includes(taskId), notReproduced.length], [1, [], true, 2]);
});

const lost = suite("verification on a copy of a log that lacks the event of an asOf");

lost("names the report, and verifies the others", async () => {
  const reports = await startReports();
  await reports.writeFacts(threeCampaigns);
  const first = await reports.ended(clicksByCampaign);
  const { asOfPosition } = ((await reports.read(first)).json as { task: { asOfPosition: string } }).task;
  const taskId = await reports.ended({ ...clicksByCampaign, asOf: asOfPosition });
  const copy: Pick<Reports, "log" | "tasks"> = { ...reports, log: { ...reports.log, read: async function* () {} } };
  const results = await verifyResults(await verified(copy));
  assert.equal(results, { results: 2, rows: 6, differing: [], computed: 2, notReproduced: [taskId] });
  await reports.close();
});

verifying.run();
lost.run();
