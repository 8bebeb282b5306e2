import { UploadUnfinished } from "../../client/index.ts";
import { ConfigurationInvalid } from "../config/config.ts";
import { DataDirectoryUnusable } from "../data-directory/data-directory.ts";
import { BackupFailed } from "../embedded-event-store/maintenance/backup-failed.ts";
import { LogCopyRefused } from "../event-log/copy-log.ts";
import { EventLogUnavailable } from "../event-log/event-log.ts";
import { PostgresUnavailable } from "../postgres/managed-postgres-error.ts";
import { unusablePostgres } from "../postgres/postgres-failures.ts";
import { StartupError } from "../process/startup-error.ts";
import { ModelRuntimeMissing } from "../scoring/scorer-process.ts";
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
  LogCopyRefused,
  ModelRuntimeMissing,
  PostgresUnavailable,
  TrainingImpossible,
  UploadUnfinished,
];

/** What to print for a failed command: one line that says what to do, or the whole error for a defect. */
export async function printedFailure(failure: unknown): Promise<unknown> {
  if (!(failure instanceof Error)) return failure;
  if (failure instanceof EventLogUnavailable) return lostStore(failure);
  if (isOneOf(plainFailures, failure) || (await isPlainOfServer(failure))) return failure.message;
  const ofPostgres = unusablePostgres(failure);
  if (ofPostgres !== null) return ofPostgres;
  return fileFailure(failure) ?? failure;
}

/** A cluster can lose its leader at any moment of a start or of a command. */
async function lostStore(failure: EventLogUnavailable): Promise<string> {
  const { unusableStore } = await import("../event-log/unusable-event-store.ts");
  return unusableStore(failure).message;
}

/** What to print when a system call on a file or directory failed, as with EACCES; null for other failures. */
function fileFailure({ message, code, syscall, path }: NodeJS.ErrnoException): string | null {
  if (syscall === undefined || path === undefined) return null;
  return code === "ENOENT" ? `There is no ${path}.` : `${message}. Can this user read and write it?`;
}

/** A command that fails in this way has loaded these modules already. */
async function isPlainOfServer(failure: unknown): Promise<boolean> {
  const { plainFailures: ofReadModels } = await import("../main.ts");
  const { SpoolOfAnotherLog, SpoolOfAnotherVersion } = await import("../spool/stored-batches.ts");
  return isOneOf([...ofReadModels, SpoolOfAnotherLog, SpoolOfAnotherVersion], failure);
}

function isOneOf(kinds: readonly (abstract new (...given: never[]) => Error)[], failure: unknown): boolean {
  return kinds.some((kind) => failure instanceof kind);
}
