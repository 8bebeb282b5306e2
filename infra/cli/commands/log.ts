import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { claimStreams } from "../../composition/event-log.ts";
import { type Config, eventStoreSchemes, isStreamPrefix, readConfig, streamPrefixRule } from "../../config/config.ts";
import { isConnectionString } from "../../config/environment-reader.ts";
import { DataDirectoryUnusable } from "../../data-directory/data-directory.ts";
import { CopiedStoreFailed, copyLog, LogCopyRefused } from "../../event-log/copy-log.ts";
import { unusableStore } from "../../event-log/unusable-event-store.ts";
import { openLogger } from "../../process/log.ts";
import type { StartupError } from "../../process/startup-error.ts";
import { nonEmpty } from "../argument-parsers.ts";
import { stepBars } from "../progress-bars.ts";
import { type OpenStoredLog, openStoredLog, openStores, openTargetLog } from "../stores.ts";

/** `touchledger log`: claims and copies the event log. */
export function logCommand(): Command {
  return new Command("log")
    .addCommand(
      new Command("claim")
        .description("give the streams of the event store to this instance: the one that had them is gone for good")
        .action(claim),
    )
    .addCommand(
      new Command("copy")
        .description("copy the event log to another event store; run it again to go on where it ended")
        .requiredOption("--to <address>", "esdb://... of an event store, or a DATA_DIR for a new instance", address)
        .option("--to-prefix <prefix>", "EVENT_STREAM_PREFIX there (default: that of the source)", streamPrefix)
        .action(copy),
    );
}

async function claim(): Promise<void> {
  const config = readConfig(process.env);
  const stores = await openStores(config, openLogger(config.logLevel));
  try {
    await claimStreams(stores.log, stores.db, true);
    console.log("The streams of the event store belong to this instance now.");
  } finally {
    await stores.close();
  }
}

interface CopyOptions {
  readonly to: string;
  readonly toPrefix?: string;
}

const settings = { source: "EVENTSTORE_URL", target: "--to" };

async function copy({ to, toPrefix }: CopyOptions): Promise<void> {
  const config = readConfig(process.env);
  const source = await usable("source", openStoredLog(config));
  try {
    const target = await usable("target", openTargetLog(await targetOf(config, to, toPrefix ?? source.prefix)));
    const bars = stepBars();
    try {
      const { copied, events, position } = await copyLog(source.log, target.log, bars.show).finally(bars.stop);
      console.log(
        `Copied ${copied} events. The target has the log up to position ${position} of the source: ${events} events.`,
      );
      console.log("Run the command again to copy what has been appended to the source since.");
    } catch (failure) {
      throw failure instanceof CopiedStoreFailed ? startupErrorOf(failure.store, failure.cause) : failure;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Rejects with {@link StartupError} when the address cannot be read. */
function usable(store: keyof typeof settings, opening: Promise<OpenStoredLog>): Promise<OpenStoredLog> {
  return opening.catch((failure: unknown) => {
    throw failure instanceof DataDirectoryUnusable ? failure : startupErrorOf(store, failure);
  });
}

function startupErrorOf(store: keyof typeof settings, failure: unknown): StartupError {
  return unusableStore(failure, store, settings[store]);
}

/** The configuration of an instance at the target. */
async function targetOf(config: Config, to: string, eventStreamPrefix: string): Promise<Config> {
  if (isConnectionString(to, eventStoreSchemes)) return { ...config, eventStoreUrl: to, eventStreamPrefix };
  const dataDirectory = resolve(to);
  const [ofTarget, ofSource] = await Promise.all([dataDirectory, config.dataDirectory].map(realPathOf));
  if (config.eventStoreUrl === null && ofTarget === ofSource) {
    throw new LogCopyRefused("Source and target are the same data directory. Name another one with --to.");
  }
  return { ...config, dataDirectory, eventStoreUrl: null, eventStreamPrefix };
}

function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function address(text: string): string {
  nonEmpty(text);
  if (/^[a-z+]+:\/\//i.test(text) && !isConnectionString(text, eventStoreSchemes)) {
    throw new InvalidArgumentError(`It must be a directory, or start with ${eventStoreSchemes.join("://, ")}://.`);
  }
  return text;
}

function streamPrefix(text: string): string {
  if (!isStreamPrefix(text)) throw new InvalidArgumentError(`It may hold ${streamPrefixRule}.`);
  return text;
}
