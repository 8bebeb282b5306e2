import { Command, InvalidArgumentError } from "commander";
import { instantOf } from "../../../domain/values/instants.ts";
import { readConfig } from "../../config/config.ts";
import { refuseUsedDirectory, writeBundle } from "../../training/stored-bundle.ts";
import { nonEmpty, wholeNumber } from "../argument-parsers.ts";
import { stepBars } from "../progress-bars.ts";
import { openLogForCommand } from "../stores.ts";

interface TrainFlags {
  readonly app: string;
  readonly out: string;
  readonly seed: number;
  /** Epoch milliseconds. */
  readonly now?: number;
}

/** `touchledger train`: a bundle of both models from the event log alone (contract/prediction.md#training). */
export function trainCommand(): Command {
  return new Command("train")
    .requiredOption("--app <name>", "whose installs to learn from", nonEmpty)
    .requiredOption("--out <dir>", "where to write the bundle: a directory that is new or empty", nonEmpty)
    .option("--seed <number>", "determines which fifth of the installs is held out", wholeNumber(999_999_999), 1)
    .option("--now <instant>", "train as of this instant (ISO 8601 with an offset); default: the present", instant)
    .action(async ({ app, out, seed, now = Date.now() }: TrainFlags) => {
      await refuseUsedDirectory(out);
      const { trainBundle } = await import("../../training/train-bundle.ts");
      const { trainingText } = await import("../../training/report-text.ts");
      const opened = await openLogForCommand(readConfig(process.env));
      const bars = stepBars();
      try {
        const { files, report } = await trainBundle({ log: opened.log, app, seed, now, progress: bars.show });
        bars.stop();
        await writeBundle(out, files);
        console.log(trainingText(report));
        console.log(`The bundle is in ${out}.`);
      } finally {
        bars.stop();
        await opened.close();
      }
    });
}

/** Epoch milliseconds of an ISO 8601 text, as an option. */
function instant(text: string): number {
  const read = instantOf(text);
  if (read === null)
    throw new InvalidArgumentError("It must be ISO 8601 with an offset, such as 2026-03-31T00:00:00Z.");
  return read;
}

interface CheckFlags {
  readonly app: string;
  readonly bundle?: string;
  /** Epoch milliseconds. */
  readonly now?: number;
}

/** `touchledger bundle check`: compares predictions with what happened, and reports drift since training. */
export function bundleCheckCommand(): Command {
  return new Command("check")
    .description("compare the predictions of a bundle with what happened, for installs that are old enough")
    .requiredOption("--app <name>", "whose installs to look at", nonEmpty)
    .option("--bundle <dir>", "a bundle in a directory; default: the one that is active for the app", nonEmpty)
    .option("--now <instant>", "check as of this instant (ISO 8601 with an offset); default: the present", instant)
    .action(async ({ app, bundle, now = Date.now() }: CheckFlags) => {
      const { checkBundle } = await import("../../training/check-bundle.ts");
      const { checkText } = await import("../../training/report-text.ts");
      const opened = await openLogForCommand(readConfig(process.env));
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
