import { Command } from "commander";
import { ConfigurationInvalid } from "../config.ts";
import { DataDirectoryUnusable } from "../data-directory/data-directory.ts";
import { PostgresUnavailable } from "../postgres/postgres-unavailable.ts";
import { version } from "../version.ts";
import { startCommand } from "./commands/start.ts";

/** Failures that the message alone explains: what a person has to do is in it, a stack is not wanted. */
const plainFailures = [ConfigurationInvalid, DataDirectoryUnusable, PostgresUnavailable];

const program = new Command("touchledger")
  .description("A self-hostable mobile attribution platform whose every number can be traced to the events behind it.")
  .version(version)
  .showHelpAfterError()
  .addCommand(startCommand());

try {
  await program.parseAsync();
} catch (failure) {
  const isPlain = plainFailures.some((kind) => failure instanceof kind);
  console.error(isPlain && failure instanceof Error ? failure.message : failure);
  process.exit(1);
}
