import { Command } from "commander";
import { UploadUnfinished } from "../api-client/uploads.ts";
import { ConfigurationInvalid } from "../config/config.ts";
import { DataDirectoryUnusable } from "../data-directory/data-directory.ts";
import { plainFailures as plainReadModelFailures } from "../main.ts";
import { PostgresUnavailable } from "../postgres/postgres-unavailable.ts";
import { StartupError } from "../process/startup-error.ts";
import { version } from "../process/version.ts";
import { SpoolOfAnotherLog } from "../spool/spool.ts";
import { TrainingImpossible } from "../training/training-impossible.ts";
import { ApiCallFailed } from "./api-connection.ts";
import { bundleCommand } from "./commands/bundle.ts";
import { conversionValuesCommand } from "./commands/conversion-values.ts";
import { demoCommand } from "./commands/demo.ts";
import { eventStoreCommand } from "./commands/event-store.ts";
import { exportCommand } from "./commands/export.ts";
import { projectionCommand } from "./commands/projection.ts";
import { reportCommand } from "./commands/report.ts";
import { startCommand } from "./commands/start.ts";
import { trainCommand } from "./commands/train.ts";
import { uploadCommand } from "./commands/upload.ts";
import { verifyCommand } from "./commands/verify.ts";
import { FileUnusable } from "./file-argument.ts";

/** Failures whose message says what to do, so that no stack is printed. */
const plainFailures = [
  ApiCallFailed,
  StartupError,
  ConfigurationInvalid,
  DataDirectoryUnusable,
  FileUnusable,
  PostgresUnavailable,
  SpoolOfAnotherLog,
  TrainingImpossible,
  UploadUnfinished,
  ...plainReadModelFailures,
];

const program = new Command("touchledger")
  .description("A self-hostable mobile attribution platform whose every number can be traced to the events behind it.")
  .version(version)
  .showHelpAfterError()
  .addCommand(reportCommand())
  .addCommand(startCommand())
  .addCommand(demoCommand())
  .addCommand(eventStoreCommand())
  .addCommand(projectionCommand())
  .addCommand(trainCommand())
  .addCommand(bundleCommand())
  .addCommand(conversionValuesCommand())
  .addCommand(uploadCommand())
  .addCommand(exportCommand())
  .addCommand(verifyCommand());

try {
  await program.parseAsync();
} catch (failure) {
  const isPlain = plainFailures.some((kind) => failure instanceof kind);
  console.error(isPlain && failure instanceof Error ? failure.message : failure);
  process.exit(1);
}
