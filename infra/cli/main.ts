import { readFileSync } from "node:fs";
import { Command } from "commander";
import { ConfigurationInvalid } from "../config.ts";
import { DataDirectoryInUse } from "../data-directory/data-directory.ts";
import { PostgresUnavailable } from "../postgres/postgres-unavailable.ts";
import { startCommand } from "./commands/start.ts";

/** Failures that the message alone explains: what a person has to do is in it, a stack is not wanted. */
const plainFailures = [ConfigurationInvalid, DataDirectoryInUse, PostgresUnavailable];

const { version, description }: { version: string; description: string } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

const program = new Command("touchledger")
  .description(description)
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
