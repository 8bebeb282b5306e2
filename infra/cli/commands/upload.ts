import { basename } from "node:path";
import { Command, Option } from "commander";
import type { SentFile } from "../../api-client/api-client.ts";
import {
  followUpload,
  sendUpload,
  type UploadKindName,
  type UploadRecord,
  uploadPaths,
} from "../../api-client/uploads.ts";
import { type ApiConnection, type ConnectionFlags, called, connectToApi } from "../api-connection.ts";
import { readFileArgument } from "../file-argument.ts";
import { uploadBar } from "../progress-bars.ts";
import { printable, printTable } from "../terminal-text.ts";

/** More than any server takes (contract/uploads.md#limits). */
const mostBytes = 8 * 1024 * 1024;
/** Longer than a server tries again what it is itself at fault for (contract/uploads.md#record). */
const watchedMs = 15 * 60 * 1000;

interface UploadFlags extends ConnectionFlags {
  readonly kind: UploadKindName;
  readonly watch: boolean;
}

/**
 * `touchledger upload <file>`: sends a CSV to a running instance and, with `--watch`, follows it to its end. Exit 1
 * when it cannot be sent, or fails.
 */
export function uploadCommand(): Command {
  return new Command("upload")
    .description("send a CSV of ad spend, of a metric or of legacy cost to a running instance")
    .argument("<file>", "the CSV, as it is or gzip-compressed")
    .addOption(new Option("--kind <kind>", "what it holds").choices(Object.keys(uploadPaths)).makeOptionMandatory())
    .option("--watch", "wait until its rows are in reports, or its errors are known", false)
    .option("--url <url>", "address of the instance (default: the one that runs on DATA_DIR)")
    .option("--token <token>", "of an app's owner or in-house marketer (better: TOUCHLEDGER_TOKEN)")
    .action(async (path: string, { kind, watch, ...flags }: UploadFlags) => {
      const connection = await connectToApi(flags, process.env);
      const file = { name: basename(path), content: await readFileArgument(path, mostBytes, "upload") };
      const record = await called(connection, () => sendUpload(connection.changing, kind, file));
      print(record, file);
      if (!watch) return;
      const ended = await watched(connection, kind, record);
      print(ended, file);
      if (ended.status === "succeeded") return;
      printFaults(ended);
      process.exitCode = 1;
    });
}

async function watched(connection: ApiConnection, kind: UploadKindName, first: UploadRecord): Promise<UploadRecord> {
  const bar = uploadBar();
  try {
    return await called(connection, () =>
      followUpload(connection.reading, kind, first, ({ status }) => bar.show(status), watchedMs),
    );
  } finally {
    bar.stop();
  }
}

function print({ requestId, status }: UploadRecord, { name }: SentFile): void {
  console.log(`Upload ${requestId} of ${printable(name)}: ${status}`);
}

/** What is wrong with each column (contract/uploads.md#format). */
function printFaults({ reason }: UploadRecord): void {
  const faults: { readonly [column: string]: readonly string[] } = JSON.parse(reason ?? "{}");
  const rows = Object.entries(faults).flatMap(([column, texts]) => texts.map((text) => [column, text].map(printable)));
  console.log("");
  printTable(["column", "fault"], rows);
}
