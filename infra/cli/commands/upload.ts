import { basename } from "node:path";
import { Command, Option } from "commander";
import { followUpload, type SentFile, sendUpload } from "../../../client/index.ts";
import type { UploadKind } from "../../../domain/uploads/events.ts";
import { kindNames } from "../../../domain/uploads/upload-kinds.ts";
import type { UploadRecord } from "../../../domain/uploads/upload-record.ts";
import { minuteMs } from "../../../domain/values/instants.ts";
import { type ApiConnection, type ConnectionFlags, connectToApi, withApiErrors } from "../api-connection.ts";
import { readFileArgument } from "../file-argument.ts";
import { uploadBar } from "../progress-bars.ts";
import { printable, printTable } from "../terminal-text.ts";

/** The maximum body (contract/uploads.md#limits). */
const maxBytes = 8 * 1024 * 1024;
/** Longer than a server retries technical faults (contract/uploads.md#record). */
const watchTimeoutMs = 15 * minuteMs;

interface UploadFlags extends ConnectionFlags {
  readonly kind: string;
  readonly watch: boolean;
}

/** The kinds of upload by their names on the command line: `ad-spend` is `ad_spend`. */
const kinds: ReadonlyMap<string, UploadKind> = new Map(kindNames.map((kind) => [kind.replaceAll("_", "-"), kind]));

/**
 * `touchledger upload <file>`: sends a CSV to a running instance and, with `--watch`, follows it to its end. Exit 1
 * when it cannot be sent, or fails.
 */
export function uploadCommand(): Command {
  return new Command("upload")
    .argument("<file>", "the CSV, as it is or gzip-compressed")
    .addOption(new Option("--kind <kind>", "the kind of upload").choices([...kinds.keys()]).makeOptionMandatory())
    .option("--watch", "wait until its rows are in reports, or it has failed", false)
    .option("--url <url>", "address of the instance (default: the one that runs on DATA_DIR)")
    .option("--token <token>", "of an app's owner or in-house marketer (better: TOUCHLEDGER_TOKEN)")
    .action(async (path: string, { kind: kindName, watch, ...flags }: UploadFlags) => {
      const kind = kinds.get(kindName) as UploadKind;
      const connection = await connectToApi(flags, process.env);
      const file = { name: basename(path), content: await readFileArgument(path, maxBytes, "upload") };
      const record = await withApiErrors(connection, () => sendUpload(connection.changing, kind, file));
      print(record, file);
      if (!watch) return;
      const ended = await watchUpload(connection, kind, record);
      print(ended, file);
      if (ended.status === "succeeded") return;
      printFaults(ended);
      process.exitCode = 1;
    });
}

async function watchUpload(connection: ApiConnection, kind: UploadKind, first: UploadRecord): Promise<UploadRecord> {
  const bar = uploadBar();
  try {
    return await withApiErrors(connection, () =>
      followUpload(connection.reading, kind, first, {
        onStatus: ({ status }) => bar.show(status),
        timeoutMs: watchTimeoutMs,
      }),
    );
  } finally {
    bar.stop();
  }
}

function print({ requestId, status }: UploadRecord, { name }: SentFile): void {
  console.log(`Upload ${requestId} of ${printable(name)}: ${status}`);
}

/** Contract: contract/uploads.md#format. */
function printFaults({ reason }: UploadRecord): void {
  const faults: { readonly [column: string]: readonly string[] } = JSON.parse(reason ?? "{}");
  const rows = Object.entries(faults).flatMap(([column, texts]) => texts.map((text) => [column, text].map(printable)));
  console.log("");
  printTable(["column", "fault"], rows);
}
