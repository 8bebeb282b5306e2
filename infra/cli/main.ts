import { Command } from "commander";
import { version } from "../process/version.ts";
import { commands } from "./named-commands.ts";

// Deprecations of Node are for developers of its libraries; the one of TLS to an IP address would be in every log.
// Node has set it, and lets nobody set it again, where NODE_OPTIONS says the same.
if (process.noDeprecation !== true) process.noDeprecation = true;
const program = new Command("touchledger")
  .description("A self-hostable mobile attribution platform whose every number can be traced to the events behind it.")
  .version(version)
  .showHelpAfterError();
const [first = "", second = ""] = process.argv.slice(2);
const named = first === "help" ? second : first;
for (const [name, { description, load }] of Object.entries(commands)) {
  // Of the others the help has the names alone.
  const command = name === named ? await load() : new Command(name);
  program.addCommand(command.description(description));
}

try {
  await program.parseAsync();
} catch (failure) {
  const { printedFailure } = await import("./plain-failures.ts");
  console.error(await printedFailure(failure));
  process.exit(1);
}
