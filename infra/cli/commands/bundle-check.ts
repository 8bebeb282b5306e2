import { Command } from "commander";
import { openEventLog } from "../../composition/stores.ts";
import { readConfig } from "../../config/config.ts";
import { stepBars } from "../progress-bars.ts";
import { instant } from "./train.ts";

interface CheckFlags {
  readonly app: string;
  readonly bundle?: string;
  /** Epoch milliseconds. */
  readonly now?: number;
}

/** `touchledger bundle check`: predicted against happened, and how features have drifted since training. */
export function bundleCheckCommand(): Command {
  return new Command("check")
    .description("compare what a bundle predicts for installs that are old enough with what happened")
    .requiredOption("--app <name>", "whose installs to look at")
    .option("--bundle <dir>", "a bundle in a directory; default: the one that is active for the app")
    .option("--now <instant>", "check as of this instant (ISO 8601 with an offset); default: the present", instant)
    .action(async ({ app, bundle, now = Date.now() }: CheckFlags) => {
      const { checkBundle } = await import("../../training/check-bundle.ts");
      const { checkText } = await import("../../training/check-text.ts");
      const opened = await openEventLog(readConfig(process.env));
      const bars = stepBars();
      try {
        const check = await checkBundle({ log: opened.log, app, directory: bundle ?? null, now, progress: bars.show });
        bars.stop();
        console.log(checkText(check));
      } finally {
        bars.stop();
        await opened.close();
      }
    });
}
