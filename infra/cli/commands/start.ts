import { Command } from "commander";
import { readConfig } from "../../config.ts";
import { runStart } from "../../main.ts";

/** `touchledger start`: everything that the environment's `ROLES` name, until a signal ends it. */
export function startCommand(): Command {
  return new Command("start")
    .description("start Touchledger on DATA_DIR (default ./data) and keep it running")
    .action(async () => {
      await runStart(readConfig(process.env));
    });
}
