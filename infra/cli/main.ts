import { Command } from "commander";
import { UploadUnfinished } from "../api-client/uploads.ts";
import { ConfigurationInvalid } from "../config/config.ts";
import { DataDirectoryUnusable } from "../data-directory/data-directory.ts";
import { BackupFailed } from "../embedded-event-store/backup-failed.ts";
import { PostgresUnavailable } from "../postgres/postgres-unavailable.ts";
import { StartupError } from "../process/startup-error.ts";
import { version } from "../process/version.ts";
import { TrainingImpossible } from "../training/training-impossible.ts";
import { ApiCallFailed } from "./api-connection.ts";
import { FileUnusable } from "./file-argument.ts";

/** Failures whose message says what to do, so that no stack is printed. */
const plainFailures = [
  ApiCallFailed,
  BackupFailed,
  StartupError,
  ConfigurationInvalid,
  DataDirectoryUnusable,
  FileUnusable,
  PostgresUnavailable,
  TrainingImpossible,
  UploadUnfinished,
];

/** By name, in the order of the help. Each loads what it needs when it is named: `start` loads nearly everything. */
const commands: { readonly [name: string]: () => Promise<Command> } = {
  report: async () => (await import("./commands/report.ts")).reportCommand(),
  start: async () => (await import("./commands/start.ts")).startCommand(),
  demo: async () => (await import("./commands/demo.ts")).demoCommand(),
  "event-store": async () => (await import("./commands/event-store.ts")).eventStoreCommand(),
  projection: async () => (await import("./commands/projection.ts")).projectionCommand(),
  train: async () => (await import("./commands/train.ts")).trainCommand(),
  bundle: async () => (await import("./commands/bundle.ts")).bundleCommand(),
  "conversion-values": async () => (await import("./commands/conversion-values.ts")).conversionValuesCommand(),
  upload: async () => (await import("./commands/upload.ts")).uploadCommand(),
  export: async () => (await import("./commands/export.ts")).exportCommand(),
  verify: async () => (await import("./commands/verify.ts")).verifyCommand(),
  backup: async () => (await import("./commands/backup.ts")).backupCommand(),
  restore: async () => (await import("./commands/backup.ts")).restoreCommand(),
};

const program = new Command("touchledger")
  .description("A self-hostable mobile attribution platform whose every number can be traced to the events behind it.")
  .version(version)
  .showHelpAfterError();
const named = commands[process.argv[2] ?? ""];
for (const command of named === undefined ? Object.values(commands) : [named]) program.addCommand(await command());

try {
  await program.parseAsync();
} catch (failure) {
  const isPlain = failure instanceof Error && (isOneOf(plainFailures, failure) || (await isPlainOfServer(failure)));
  console.error(isPlain ? failure.message : failure);
  process.exit(1);
}

function isOneOf(kinds: readonly (abstract new (...given: never[]) => Error)[], failure: Error): boolean {
  return kinds.some((kind) => failure instanceof kind);
}

/** A command that fails so has already loaded these modules. */
async function isPlainOfServer(failure: Error): Promise<boolean> {
  const { plainFailures: ofReadModels } = await import("../main.ts");
  const { SpoolOfAnotherLog } = await import("../spool/spool.ts");
  return isOneOf([...ofReadModels, SpoolOfAnotherLog], failure);
}
