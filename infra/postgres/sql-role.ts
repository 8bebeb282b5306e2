import { randomBytes } from "node:crypto";
import type { Knex } from "knex";
import { StartupError } from "../process/startup-error.ts";
import { scramVerifier } from "./scram-verifier.ts";

/**
 * Default time limit of a reader's query, and of a transaction that waits for its next one: after a rebuild, views can be
 * replaced only while no transaction reads them.
 */
const timeLimit = "60s";
const passwordBytes = 24;
/** Postgres cuts longer names. */
const roleName = /^[a-z_][a-z0-9_]{0,62}$/;
const duplicateObject = "42710";
const undefinedObject = "42704";
const insufficientPrivilege = "42501";
/** Key words such as `user`, names that begin with `pg_`, and `current_user`. */
const reservedNames = ["42601", "42939", "22023"];
/** The role to be dropped is that of this connection. */
const objectInUse = "55006";
/** The role to be dropped owns objects, or has privileges beyond the views. */
const dependentObjects = "2BP01";

/**
 * Creates a role that may connect and read the views of a schema, also later ones, and nothing else. Returns its password,
 * which is stored nowhere.
 * @throws {StartupError} with what to do, when the name is taken or cannot be one, or roles may not be created
 */
export async function createReaderRole(db: Knex, name: string, schema: string): Promise<string> {
  const role = checkedName(name);
  const password = randomBytes(passwordBytes).toString("base64url");
  await changeRoles(db, role, [
    `create role ${role} login password '${scramVerifier(password)}'`,
    `alter role ${role} set search_path = ${schema}`,
    `alter role ${role} set default_transaction_read_only = on`,
    `alter role ${role} set statement_timeout = '${timeLimit}'`,
    `alter role ${role} set idle_in_transaction_session_timeout = '${timeLimit}'`,
    `grant usage on schema ${schema} to ${role}`,
    `grant select on all tables in schema ${schema} to ${role}`,
    `alter default privileges in schema ${schema} grant select on tables to ${role}`,
  ]);
  return password;
}

/**
 * Drops a role of {@link createReaderRole}; its connections end with their next query.
 * @throws {StartupError} with what to do, when there is none, or it may not be dropped
 */
export async function dropReaderRole(db: Knex, name: string, schema: string): Promise<void> {
  const role = checkedName(name);
  await changeRoles(db, role, [
    `alter default privileges in schema ${schema} revoke select on tables from ${role}`,
    `revoke all on all tables in schema ${schema} from ${role}`,
    `revoke all on schema ${schema} from ${role}`,
    `drop role ${role}`,
  ]);
}

function checkedName(name: string): string {
  if (roleName.test(name)) return name;
  throw new StartupError(
    `${name} cannot be the name of a role: it takes up to 63 lower-case letters, digits and _, and begins with no digit.`,
  );
}

async function changeRoles(db: Knex, role: string, statements: readonly string[]): Promise<void> {
  try {
    await db.transaction(async (trx) => {
      for (const statement of statements) await trx.raw(statement);
    });
  } catch (failure) {
    const text = explanation(failure as PostgresFailure, role);
    throw text === null ? failure : new StartupError(text);
  }
}

interface PostgresFailure {
  readonly code?: string;
  readonly detail?: string;
}

function explanation({ code = "", detail = "" }: PostgresFailure, role: string): string | null {
  if (reservedNames.includes(code)) return `${role} cannot be the name of a role: Postgres reserves it.`;
  switch (code) {
    case objectInUse:
      return `${role} is in use by the database itself: touchledger sql-role did not create it.`;
    case dependentObjects:
      return (
        `${role} owns or may use more than the views (${detail.replaceAll("\n", ", ")}). Revoke that first; an administrator ` +
        `can run: drop owned by ${role}, which also drops what it owns`
      );
    case duplicateObject:
      return `There is a role ${role} already. Choose another name, or drop it if sql-role created it: touchledger sql-role drop ${role}`;
    case undefinedObject:
      return `There is no role ${role}.`;
    case insufficientPrivilege:
      return `The user of DATABASE_URL may not create or drop ${role}. Let an administrator run: alter role <user> createrole`;
    default:
      return null;
  }
}
