import { Command } from "commander";
import { version } from "../process/version.ts";
import { commands } from "./command-list.ts";
import { blockWhileEnding, endWithOutput } from "./early-end.ts";

// Node's deprecation warnings are for developers. If NODE_OPTIONS has set the property already, it cannot be assigned
// again.
if (process.noDeprecation !== true) process.noDeprecation = true;
const program = new Command("touchledger")
  .description("A self-hostable mobile attribution platform whose every number can be traced to the events behind it.")
  .version(version)
  .addHelpText(
    "after",
    "\nSettings are environment variables (docs/configuration.md); commands are in docs/operations.md.",
  )
  .showHelpAfterError();
const [first = "", second = ""] = process.argv.slice(2).filter((word) => word !== "--");
const named = first === "help" ? second : first;
for (const [name, { description, load }] of Object.entries(commands)) {
  // The help only needs the names of the others.
  const command = name === named ? await load() : new Command(name);
  program.addCommand(command.description(description));
}

// These run on without their output, and stop their parts in order.
if (named === "start" || named === "demo" || named === "event-store") process.stdout.on("error", () => {});
else endWithOutput();
// Progress that nobody reads does not end a command.
process.stderr.on("error", () => {});
try {
  await program.parseAsync();
} catch (failure) {
  await blockWhileEnding();
  const { printedFailure } = await import("./printed-failure.ts");
  console.error(await printedFailure(failure));
  process.exit(1);
}
