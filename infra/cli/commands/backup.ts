import { join } from "node:path";
import { Command } from "commander";
import { type Config, readConfig } from "../../config/config.ts";
import { openDataDirectory } from "../../data-directory/data-directory.ts";
import { type BackupManifest, backUp, restore } from "../../embedded-event-store/maintenance/backup.ts";
import { BackupFailed } from "../../embedded-event-store/maintenance/backup-failed.ts";
import { stepBars } from "../progress-bars.ts";

/** `touchledger backup <directory>`: copies the embedded event store, also while an instance runs. */
export function backupCommand(): Command {
  return new Command("backup")
    .argument("<directory>", "a directory that is empty or does not exist")
    .action(async (target: string) => {
      const { dataDirectory } = embeddedOf(readConfig(process.env));
      const bars = stepBars();
      const manifest = await backUp(join(dataDirectory, "event-store"), target, bars.show).finally(bars.stop);
      print(`Backed up to ${target}`, manifest);
    });
}

/** `touchledger restore <directory>`: makes a backup the embedded event store of a new DATA_DIR. */
export function restoreCommand(): Command {
  return new Command("restore")
    .argument("<directory>", "the directory that `touchledger backup` has made")
    .action(async (backup: string) => {
      const { dataDirectory } = embeddedOf(readConfig(process.env));
      const directory = await openDataDirectory(dataDirectory);
      const bars = stepBars();
      try {
        const manifest = await restore(backup, join(directory.path, "event-store"), bars.show).finally(bars.stop);
        print(`Restored to ${directory.path}`, manifest);
      } finally {
        await directory.close();
      }
    });
}

function embeddedOf(config: Config): Config {
  if (config.eventStoreUrl === null) return config;
  throw new BackupFailed("EVENTSTORE_URL is set: back up that event store with its own tools.");
}

function print(what: string, { head, bytes, sha256, createdAt }: BackupManifest): void {
  console.log(`${what}: ${head} events, ${bytes} bytes, SHA-256 ${sha256}, as of ${createdAt}.`);
}
