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

test("does not hold up the views for long: its queries and idle transactions end after a minute", async () => {
  const role = `reader_${randomUUID().replaceAll("-", "")}`;
  await db.raw("create schema if not exists views");
  await createReaderRole(db, role, "views");
  const { rows } = await db.raw("select unnest(rolconfig) as setting from pg_roles where rolname = ?", [role]);
  const limits = rows
    .map(({ setting }: { readonly setting: string }) => setting)
    .filter((one: string) => /60s/.test(one));
  assert.equal(limits, ["statement_timeout=60s", "idle_in_transaction_session_timeout=60s"]);
  await dropReaderRole(db, role, "views");
});

test.run();
