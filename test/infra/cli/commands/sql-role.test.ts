import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addressOf } from "../../../../infra/cli/commands/sql-role.ts";

const address = suite("the printed address of a role");

for (const [what, databaseUrl, printed] of [
  ["a user", "postgres://app:secret@db:5432/touchledger", "postgres://bi:new%2F1@db:5432/touchledger"],
  ["no user", "postgres://db/touchledger?sslmode=require", "postgres://bi:new%2F1@db/touchledger?sslmode=require"],
  [
    "a user in its parameters",
    "postgres://db/touchledger?user=app&password=secret",
    "postgres://bi:new%2F1@db/touchledger",
  ],
  [
    "a socket",
    "postgres:///touchledger?host=/run/postgresql&user=app",
    "postgres:///touchledger?host=%2Frun%2Fpostgresql&user=bi&password=new%2F1",
  ],
] as const) {
  address(`has the role's own name and password alone, for a database URL with ${what}`, () => {
    assert.is(addressOf(databaseUrl, "bi", "new/1"), printed);
  });
}

address.run();
