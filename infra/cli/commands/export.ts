import { Command, InvalidArgumentError, Option } from "commander";
import {
  ApiRefused,
  DownloadExhausted,
  type DownloadedExport,
  type DownloadTiming,
  downloadExport,
  type ExportDownload,
  type ExportFormat,
  ExportNotDownloaded,
  ExportUnfinished,
  type RequestedExport,
  requestExport,
  waitForExport,
} from "../../../client/index.ts";
import { rawExportTypes } from "../../../domain/raw-exports/export-query.ts";
import { minuteMs } from "../../../domain/values/instants.ts";
import {
  ApiCallFailed,
  type ApiConnection,
  type ConnectionFlags,
  connectToApi,
  withApiErrors,
  withPrintedFaults,
} from "../api-connection.ts";
import { nonEmpty } from "../argument-parsers.ts";
import {
  addFilter,
  addKeys,
  type ExportQueryOptions,
  exportRequestOf,
  filterHelp,
  momentAt,
  queryOptions,
} from "../export-options.ts";
import { checkExportFile, type ExportTarget, openExportFile, streamTarget } from "../export-target.ts";
import { FileUnusable } from "../file-argument.ts";
import { downloadBar, waitingDots } from "../progress-bars.ts";
import { printable } from "../terminal-text.ts";

const maxWaitMs = 15 * minuteMs;

interface ExportFlags extends ConnectionFlags, ExportQueryOptions {
  readonly app: string;
  readonly id?: number;
  readonly format: ExportFormat;
  readonly wait: boolean;
  /** `-`: standard output. */
  readonly out?: string;
  readonly force: boolean;
}

/**
 * `touchledger export`: requests a raw export and prints its id or, with `--wait`, `--out` or `--id`, downloads its
 * file. Exit 1 when it is refused, fails, or cannot be downloaded.
 * @param timing of the download, for tests
 */
export function exportCommand(timing?: DownloadTiming): Command {
  return new Command("export")
    .requiredOption("--app <name>", "name of the app", nonEmpty)
    .addOption(
      new Option("--type <type>", "events of the app, of its web site, or touchpoints").choices(rawExportTypes),
    )
    .option("--from <when>", "in the app's time zone, YYYY-MM-DD or YYYY-MM-DD HH:MM:SS", momentAt("00:00:00"))
    .option("--to <when>", "the same, inclusive; a date means its last second", momentAt("23:59:59"))
    .option("--events <keys>", "with commas between them, such as app_installs,app_order_complete", addKeys)
    .option("--properties <keys>", "columns of the file in their order, such as event_datetime,channel", addKeys)
    .option("--filter <filter>", "rows to keep, see below; may be repeated", addFilter)
    .addOption(
      new Option("--id <reportID>", "download an export that was requested before, or resume a download")
        .argParser(reportIdIn)
        .conflicts([...queryOptions]),
    )
    .addOption(new Option("--format <format>", "of the file").choices(["csv", "parquet"]).default("csv"))
    .option("--wait", "wait for the file, and download it", false)
    .option("--out <file>", "output file, - for standard output (default: export-<reportID>.<format>)")
    .option("--force", "replace a file that is there already", false)
    .option("--url <url>", "address of the instance (default: the one that runs on DATA_DIR)")
    .option("--token <token>", "an app token that may request exports (better: TOUCHLEDGER_TOKEN)")
    .addHelpText("after", filterHelp)
    .action(async (flags: ExportFlags, command: Command) => {
      const request = flags.id === undefined ? exportRequestOf(flags) : null;
      if (request !== null && "missing" in request) {
        const missing = request.missing.map((name) => `--${name}`).join(", ");
        return command.error(`error: ${missing} must be given, or --id of an export that was requested before`);
      }
      const print = flags.out === "-" ? console.error : console.log;
      const connection = await connectToApi(flags, process.env);
      const out = flags.out ?? (flags.id === undefined ? null : fileNameOf(flags.id, flags.format));
      if (out !== null && out !== "-") await checkExportFile(out, flags.force);
      const requested =
        request === null
          ? { app: flags.app, reportId: Number(flags.id) }
          : await withPrintedFaults(
              connection,
              () => requestExport(connection.changing, flags.app, request.type, request.body),
              print,
            );
      if (request !== null && !flags.wait && flags.out === undefined) return console.log(requested.reportId);
      if (request !== null) console.error(`Export ${requested.reportId} was requested.`);
      await downloaded(connection, requested, { ...flags, timing }, print);
    });
}

async function downloaded(
  connection: ApiConnection,
  requested: RequestedExport,
  flags: Pick<ExportFlags, "format" | "force" | "out"> & { readonly timing: DownloadTiming | undefined },
  print: (line: string) => void,
): Promise<void> {
  const { reportId } = requested;
  const { format, force, timing, out = fileNameOf(reportId, format) } = flags;
  try {
    if (out !== "-") await checkExportFile(out, force);
    const url = await waited(connection, requested, format);
    const target = out === "-" ? streamTarget(process.stdout) : await openExportFile(out, reportId, force);
    const file = await received(connection, requested, { format, target, timing }, url);
    print(`File     ${printable(target.name)}`);
    print(`Rows     ${file.rows ?? "unknown"}`);
    print(`Bytes    ${file.bytes}`);
    print(`SHA-256  ${file.sha256}`);
  } catch (failure) {
    const isLater = [DownloadExhausted, ExportNotDownloaded, ExportUnfinished, FileUnusable].some(
      (kind) => failure instanceof kind,
    );
    if (!isLater || !(failure instanceof Error)) throw failure;
    const same = out === "-" ? "--app and --format" : "--app, --format and --out";
    throw new ApiCallFailed(
      `${failure.message}\n  To download it, or go on, give --id ${reportId} in place of the query, and the same ${same}.`,
    );
  }
}

/** Returns the address of the file. */
async function waited(connection: ApiConnection, requested: RequestedExport, format: ExportFormat): Promise<string> {
  const dots = waitingDots();
  try {
    return await withApiErrors(connection, () => fileUrl(connection, requested, format, dots.show));
  } finally {
    dots.stop();
  }
}

async function received(
  connection: ApiConnection,
  requested: RequestedExport,
  { target, ...download }: Pick<ExportDownload, "format" | "timing"> & { readonly target: ExportTarget },
  firstUrl: string,
): Promise<DownloadedExport> {
  const bar = downloadBar();
  const urls = [firstUrl];
  const url = async (): Promise<string> => urls.pop() ?? fileUrl(connection, requested, download.format, () => {});
  try {
    const file = await withApiErrors(connection, () =>
      downloadExport({ ...download, target, url, onProgress: bar.show }),
    );
    await target.finish();
    return file;
  } catch (failure) {
    await target.close().catch(() => {});
    throw failure;
  } finally {
    bar.stop();
  }
}

async function fileUrl(
  connection: ApiConnection,
  requested: RequestedExport,
  format: ExportFormat,
  onWait: () => void,
): Promise<string> {
  try {
    return connection.reachable(await waitForExport(connection.reading, requested, format, onWait, maxWaitMs));
  } catch (failure) {
    if (!(failure instanceof ApiRefused) || failure.status !== 409) throw failure;
    throw new ApiCallFailed(printable(`Export ${requested.reportId} failed. ${failure.problem?.detail ?? ""}`));
  }
}

function fileNameOf(reportId: number, format: ExportFormat): string {
  return `export-${reportId}.${format}`;
}

function reportIdIn(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new InvalidArgumentError("It must be the number that the request returned.");
}
