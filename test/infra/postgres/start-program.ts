import { startPostgres } from "../../../infra/postgres/server.ts";
import { openLogger } from "../../../infra/process/log.ts";

// Starts a Postgres on the directory that is its argument, prints where, and stays: a process to be killed.
const [, , directory = ""] = process.argv;
const { pid, connectionString } = await startPostgres({ directory, log: openLogger("silent") });
process.stdout.write(JSON.stringify({ pid, connectionString }));
