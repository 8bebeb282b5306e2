import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openDatabase } from "../../../../infra/postgres/database.ts";
import { storedResults } from "../../../../projections/reports/results/result-pages.ts";
import {
  createReportStore,
  dropResults,
  requestedRows,
  type StoredResult,
  type StoredRow,
  storedTasks,
  storeResult,
} from "../../../../projections/reports/results/stored-rows.ts";
import { exampleUuid } from "../../../examples/recorded-log.ts";
import { testPostgres } from "../../../support/stores.ts";

const db = openDatabase(await testPostgres(), { max: 4, applicationName: "test" });
const results = storedResults(db);
const taskId = exampleUuid("report", 1);
const otherTask = exampleUuid("report", 2);
const lostTask = exampleUuid("report", 3);
const whole = { skip: 0, size: 100, keyword: "" };
const noGuard = async (): Promise<void> => undefined;

const row = (groupBy: string | null, value: string | null) => {
  return { groupBys: [groupBy, "kakao"], cells: JSON.stringify({ value }) };
};
const result = (...rows: StoredResult["rows"][number][]): StoredResult => {
  return { rows, total: null, rowsHash: `of ${rows.length}` };
};

const stored = suite("stored report results");
stored.before(async () => {
  await Promise.all([1, 2, 3].map(() => createReportStore(db)));
});
stored.before.each(async () => {
  await db.raw("truncate work.results, work.result_rows, work.report_requests");
});
stored.after(() => db.destroy());

stored("come back as they were, nulls and all", async () => {
  const rows = [row('봄 \\ "x", {y}', "12345678901234567890.123456"), row(null, null), row("", "-0.5")];
  await storeResult(db, taskId, result(...rows), noGuard);
  assert.equal(await results.page(taskId, 3, whole), { rows, totalCount: 3 });
  assert.is(await results.hashOf(taskId), "of 3");
});

for (const [count, length, chunks] of [
  [499, 10, [499]],
  [500, 10, [500]],
  [501, 10, [500, 1]],
  // More characters than are inserted at once.
  [5, 3_000_000, [5]],
] as const) {
  stored(`come back in their order when all ${count} of ${length} characters are read`, async () => {
    const rows = Array.from({ length: count }, (_, index) => row(String(index), "9".repeat(length)));
    await storeResult(db, taskId, result(...rows), noGuard);
    const read: (readonly StoredRow[])[] = [];
    for await (const chunk of results.all({ taskId, rowCount: count })) read.push(chunk);
    assert.equal(
      read.map((chunk) => chunk.length),
      chunks,
    );
    assert.equal(read.flat(), rows);
  });
}

for (const [what, rows, statements] of [
  ["cells", [row("a", "9".repeat(1_900_000)), row("b", "9".repeat(1_900_000)), row("c", "9".repeat(1_900_000))], 2],
  ["group-by values", Array.from({ length: 3 }, () => row("a".repeat(950_000), "1")), 2],
] as const) {
  stored(`are inserted in statements of limited length, however long their ${what}`, async () => {
    let inserts = 0;
    const count = ({ sql }: { readonly sql: string }): void => {
      if (sql.includes("insert into work.result_rows")) inserts += 1;
    };
    db.on("query", count);
    await storeResult(db, taskId, result(...rows), noGuard);
    db.off("query", count);
    assert.is(inserts, statements);
    assert.equal((await results.page(taskId, 3, whole)).rows, rows);
  });
}

stored("are measured by the longest chunk that is read at once", async () => {
  const rows = Array.from({ length: 501 }, (_, index) => row("a", index < 499 ? "1" : "12345"));
  await storeResult(db, taskId, result(...rows), noGuard);
  const lengths = rows.map(({ cells }) => cells.length);
  const ofFirst = lengths.slice(0, 500).reduce((sum, length) => sum + length, 0);
  assert.equal([await results.longestChunk(taskId), await results.longestChunk(otherTask)], [ofFirst, 0]);
});

stored("fail to be read whole when they are dropped meanwhile", async () => {
  await storeResult(db, taskId, result(...Array.from({ length: 501 }, () => row("a", "1"))), noGuard);
  const reading = results.all({ taskId, rowCount: 501 })[Symbol.asyncIterator]();
  await reading.next();
  await dropResults(db, [taskId]);
  assert.match(await reading.next().then(String, String), `Rows of report ${taskId} are missing`);
});

stored("exist, also without rows", async () => {
  await storeResult(db, taskId, result(), noGuard);
  assert.is(await results.hashOf(taskId), "of 0");
  assert.equal(await results.page(taskId, 0, whole), { rows: [], totalCount: 0 });
});

stored("replace what the task had, and close the request for it", async () => {
  await storeResult(db, taskId, result(row("a", "1"), row("b", "2")), noGuard);
  await results.requestRows(taskId);
  await results.requestRows(taskId);
  assert.equal(await requestedRows(db, 10), [taskId]);
  await storeResult(db, taskId, result(row("c", "3")), noGuard);
  assert.equal((await results.page(taskId, 1, whole)).rows, [row("c", "3")]);
  assert.equal(await requestedRows(db, 10), []);
});

stored("are not replaced by a runner that another has taken over from", async () => {
  await storeResult(db, taskId, result(row("a", "1")), noGuard);
  const fenced = async (): Promise<void> => {
    throw new Error("another runner has taken over");
  };
  const late = await storeResult(db, taskId, result(row("b", "2")), fenced).catch((failure: Error) => failure.message);
  assert.is(late, "another runner has taken over");
  assert.equal((await results.page(taskId, 1, whole)).rows, [row("a", "1")]);
});

stored("are looked through value by value, whatever the case", async () => {
  await storeResult(db, taskId, result(row("Ärger", "1"), row("100%_a", "2"), row(null, "3")), noGuard);
  const found = async (keyword: string) => (await results.page(taskId, 3, { ...whole, keyword })).totalCount;
  assert.equal(await Promise.all(["äRG", "%_", "_%", "kakao", "rkakao", "erkakao"].map(found)), [1, 1, 0, 3, 0, 0]);
  await storeResult(db, taskId, result(row("ΠΡΟΣΦΟΡΑ", "1"), row("ΔΡΟΜΟΣ", "2")), noGuard);
  assert.equal(await Promise.all(["ΠΡΟΣ", "προς", "μοσ", "ΜΟΣ"].map(found)), [1, 1, 1, 1]);
});

stored("are dropped task by task, with the requests for them", async () => {
  await storeResult(db, taskId, result(row("a", "1")), noGuard);
  await storeResult(db, otherTask, result(row("b", "2")), noGuard);
  await results.requestRows(taskId);
  await results.requestRows(lostTask);
  assert.equal([...(await storedTasks(db))].sort(), [lostTask, otherTask, taskId].sort());
  assert.is(await dropResults(db, [lostTask]), 0);
  assert.is(await dropResults(db, [taskId]), 1);
  assert.equal(await storedTasks(db), [otherTask]);
  assert.equal(await requestedRows(db, 10), []);
  assert.is(await dropResults(db, [taskId, otherTask]), 1);
  assert.is(await results.hashOf(taskId), null);
  assert.equal((await results.page(taskId, 1, whole)).rows, []);
});

stored.run();
