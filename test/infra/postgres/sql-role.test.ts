import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { createReaderRole, dropReaderRole } from "../../../infra/postgres/sql-role.ts";
import { testPostgres } from "../../support/stores.ts";

const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
const test = suite("a role that reads the views");
test.after(() => db.destroy());

test("that may read another table is dropped once that is revoked, as the refusal says", async () => {
  const role = `reader_${randomUUID().replaceAll("-", "")}`;
  await db.raw("create schema views; create schema own; create table own.budgets (amount integer)");
  await createReaderRole(db, role, "views");
  await db.raw(`grant select on own.budgets to ${role}`);
  const refusal = await dropReaderRole(db, role, "views").catch((failure: Error) => failure.message);
  assert.is(
    refusal,
    `${role} owns or may use more than the views (privileges for table own.budgets). Revoke that first; an administrator ` +
      `can run: drop owned by ${role}, which also drops what it owns`,
  );
  await db.raw(`revoke select on own.budgets from ${role}`);
  await dropReaderRole(db, role, "views");
});

test.run();
