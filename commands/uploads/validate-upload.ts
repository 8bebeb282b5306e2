import { builtInChannels } from "../../domain/channels/built-in.ts";
import { isChannelName, reservedChannelNames } from "../../domain/channels/channel-name.ts";
import type { ChannelProfile } from "../../domain/channels/events.ts";
import { metricOf } from "../../domain/reporting/catalogue/catalogue.ts";
import type { UploadKind, UploadReason } from "../../domain/uploads/events.ts";
import { createFaultList, wholeFile } from "../../domain/uploads/fault-list.ts";
import { type Header, readHeader } from "../../domain/uploads/header.ts";
import { createRowReader } from "../../domain/uploads/row-reader.ts";
import type { RowOf } from "../../domain/uploads/rows.ts";
import { datesAllowed, mostRows } from "../../domain/uploads/upload-limits.ts";
import { channelsByDisplayName, type UploadRules } from "../../domain/uploads/upload-rules.ts";
import { isCountryCode } from "../../domain/values/iso-3166.ts";
import { isCurrency } from "../../domain/values/iso-4217.ts";
import type { LocalDate } from "../../domain/values/local-time.ts";
import { parseCsv } from "./parse-csv.ts";
import { readUploadFile, type SentFile, UnreadableFile } from "./read-upload-file.ts";

export interface ReceivedFile<Kind extends UploadKind> extends SentFile {
  readonly kind: Kind;
  /** Local date of the app when the file was received. */
  readonly today: LocalDate;
  /** Registered channels; built-in ones need not be among them. */
  readonly channels: readonly ChannelProfile[];
}

export type Validation<Kind extends UploadKind> =
  /** Every row of the file in its order, numbered from 2 without a gap. */
  | { readonly outcome: "valid"; readonly rows: readonly RowOf<Kind>[] }
  | { readonly outcome: "invalid"; readonly reason: UploadReason };

/** Rows of the wrong length after which a file is not read on: it is another file than it was meant to be. */
const mostRagged = 1_000;

/**
 * Whether a file keeps to the rules of its kind (contract/uploads.md): all its rows, or every fault that it has. The
 * same file on the same day with the same channels has the same outcome.
 */
export async function validateUpload<Kind extends UploadKind>(file: ReceivedFile<Kind>): Promise<Validation<Kind>> {
  const faults = createFaultList();
  const most = mostRows[file.kind];
  const rules = rulesFor(file);
  let header: Header | null = null;
  let readRow = createRowReader<Kind>(file.kind, [], rules, faults);
  let rows: RowOf<Kind>[] = [];
  let number = 0;
  let ragged = 0;
  const take = (cells: readonly string[]): boolean => {
    number += 1;
    if (header === null) {
      header = readHeader(file.kind, cells, faults);
      readRow = createRowReader(file.kind, header, rules, faults);
      return true;
    }
    if (number - 1 > most) {
      faults.add(wholeFile, `has more than ${most.toLocaleString("en")} rows below its header`);
      return false;
    }
    const row = readRow(cells, number);
    if (row !== null && faults.isEmpty()) rows.push(row);
    else rows = [];
    if (cells.length !== header.length && ++ragged > mostRagged) {
      faults.add(wholeFile, `was not read beyond row ${number}, as so many rows do not fit the header`);
      return false;
    }
    return true;
  };

  try {
    const broken = await parseCsv(readUploadFile(file), take);
    if (broken !== null) faults.addOfRow(wholeFile, broken.fault, broken.row);
    else if (number === 0) faults.add(wholeFile, "is empty");
    else if (number === 1) faults.add(wholeFile, "has no rows below its header");
  } catch (failure) {
    if (!(failure instanceof UnreadableFile)) throw failure;
    faults.add(wholeFile, failure.message);
  }
  return faults.isEmpty() ? { outcome: "valid", rows } : { outcome: "invalid", reason: faults.reason() };
}

function rulesFor({ kind, today, channels }: ReceivedFile<UploadKind>): UploadRules {
  const named = new Map([...builtInChannels, ...channels].map((channel) => [channel.name, channel]));
  const shown = channelsByDisplayName(named.values());
  return {
    dates: datesAllowed(kind, today),
    isCurrency,
    isCountryCode,
    isChannelName,
    isReservedChannel: (name) => reservedChannelNames.has(name),
    channelNamed: (name) => named.get(name) ?? null,
    channelShownAs: (displayName) => shown.get(displayName) ?? null,
    isReportMetric: (key) => metricOf(key) !== null,
  };
}
