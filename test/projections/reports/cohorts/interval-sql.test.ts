import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openDatabase } from "../../../../infra/postgres/database.ts";
import { intervalSql } from "../../../../projections/reports/cohorts/interval-sql.ts";
import { unitsBetweenMoments } from "../../../examples/intervals.ts";
import { testPostgres } from "../../../support/stores.ts";

const test = suite("whole units between two moments in SQL");

test("are those of the domain", async () => {
  const db = openDatabase(await testPostgres(), { max: 1, applicationName: "test" });
  const inSql = (text: string) => ({ date: `date '${text.slice(0, 10)}'`, at: `timestamptz '${text}'` });
  const all = unitsBetweenMoments.map(([granularity, from, to]) => intervalSql(granularity, inSql(from), inSql(to)));
  const { rows } = await db.raw<{ rows: { units: number[] }[] }>(`select array[${all.join(", ")}]::integer[] as units`);
  await db.destroy();
  assert.equal(
    rows[0]?.units,
    unitsBetweenMoments.map(([, , , expected]) => expected),
  );
});

test.run();
