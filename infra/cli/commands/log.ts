import { Command } from "commander";
import { claimStreams } from "../../composition/event-log.ts";
import { readConfig } from "../../config/config.ts";
import { openLog } from "../../process/log.ts";
import { openStores } from "../stores.ts";

/** `touchledger log`: whose streams these are. */
export function logCommand(): Command {
  return new Command("log").addCommand(
    new Command("claim")
      .description("give the streams of the event store to this instance: the one that had them is gone for good")
      .action(claim),
  );
}

async function claim(): Promise<void> {
  const config = readConfig(process.env);
  const stores = await openStores(config, openLog(config.logLevel));
  try {
    await claimStreams(stores.log, stores.db, true);
    console.log("The streams of the event store belong to this instance now.");
  } finally {
    await stores.close();
  }
}
