import { builtInChannels } from "../../domain/channels/built-in.ts";
import { isChannelName, reservedChannelNames } from "../../domain/channels/channel-name.ts";
import { channelsByDisplayName } from "../../domain/channels/display-names.ts";
import type { ChannelProfile } from "../../domain/channels/events.ts";
import { type Fault, fault } from "../../domain/fault.ts";
import { metricOf } from "../../domain/reporting/catalogue/catalogue.ts";
import { uploadFileStream, uploadStream } from "../../domain/streams.ts";
import type { UploadRules } from "../../domain/uploads/cells/cell.ts";
import type { NamedChannel, UploadedRow, UploadKind } from "../../domain/uploads/events.ts";
import { createFaultList } from "../../domain/uploads/fault-list.ts";
import { type Header, readHeader } from "../../domain/uploads/header.ts";
import { createRowReader, type ReadRow } from "../../domain/uploads/row-reader.ts";
import { uploadKinds } from "../../domain/uploads/upload-kinds.ts";
import { isCountryCode } from "../../domain/values/iso-3166.ts";
import { isCurrency } from "../../domain/values/iso-4217.ts";
import { type LocalDate, localDate } from "../../domain/values/local-time.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { readFile } from "../file-chunks.ts";
import { requireReadable } from "../readable-event.ts";
import { parseCsv } from "./parse-csv.ts";
import { readUploadFile, type SentFile, UnreadableFile } from "./read-upload-file.ts";

export interface UploadToValidate {
  readonly requestId: string;
  readonly appId: number;
  readonly kind: UploadKind;
  readonly fileName: string | null;
  /** Of the file, hex. */
  readonly sha256: string;
  readonly receivedAt: Date;
}

export interface ValidatorDeps {
  readonly log: EventLog;
  /** Channels that were registered or changed. */
  channels(): Promise<readonly ChannelProfile[]>;
  /** IANA name. */
  timezoneOf(appId: number): Promise<string>;
}

/**
 * Returns a function that reads an upload's file from the log and validates it by the app's local date of its receipt
 * (contract/uploads.md#values). An upload that was accepted already keeps the channels of that moment: the outcome is the
 * same at any later time.
 */
export function createUploadValidator({ log, channels, timezoneOf }: ValidatorDeps) {
  return async (upload: UploadToValidate): Promise<Validation> => {
    const { requestId, appId, kind, fileName, sha256, receivedAt } = upload;
    const today = localDate(await timezoneOf(appId), receivedAt.getTime());
    const bytes = await readFile(log, uploadFileStream(requestId), sha256);
    const known = (await acceptedChannels(log, requestId)) ?? [...builtInChannels, ...(await channels())];
    return validateFile({ kind, fileName, bytes, today, channels: known });
  };
}

/** The registered channels that an upload was accepted with; null before, and if they were not recorded. */
async function acceptedChannels(log: EventLog, requestId: string): Promise<readonly ChannelProfile[] | null> {
  for await (const recorded of log.read(uploadStream(requestId))) {
    requireReadable(recorded);
    if (recorded.type !== "UploadValidated") continue;
    const { channels } = recorded.data;
    // An accepted file names no channel that its kind refuses.
    return channels?.map((channel) => ({ ...channel, selfAttributing: false, costIntegrated: false })) ?? null;
  }
  return null;
}

export interface ReceivedFile extends SentFile {
  readonly kind: UploadKind;
  /** Local date of the app when the file was received. */
  readonly today: LocalDate;
  /** Registered channels; the last of one name counts. */
  readonly channels: readonly ChannelProfile[];
}

export type Validation =
  /** Every row of the file, in order, numbered from 2 without gaps. */
  | {
      readonly outcome: "valid";
      readonly rows: readonly UploadedRow[];
      /** The registered channels among those of the rows. */
      readonly channels: readonly NamedChannel[];
    }
  | { readonly outcome: "invalid"; readonly faults: readonly Fault[] };

/** Maximum rows of the wrong length; a file with more is not read further: it is probably not a CSV of its kind. */
const maxUnevenRows = 1_000;

/**
 * All rows of a file, or all its faults by the rules of its kind (contract/uploads.md). The same file on the same day with
 * the same channels has the same outcome.
 */
export async function validateFile(file: ReceivedFile): Promise<Validation> {
  const faults = createFaultList();
  const { columns, maxRows, table } = uploadKinds[file.kind];
  const rules = rulesFor(file);
  let header: Header | null = null;
  let readRow: ReadRow = () => null;
  let rows: UploadedRow[] = [];
  let number = 0;
  let unevenRows = 0;
  const takeRow = (cells: readonly string[]): boolean => {
    number += 1;
    if (header === null) {
      header = readHeader(columns, cells, faults);
      if (header === null) return false;
      readRow = createRowReader(table, header, rules, faults);
      return true;
    }
    if (number - 1 > maxRows) {
      faults.add(fault("file.too_many_rows", [], { limit: maxRows }));
      return false;
    }
    const row = readRow(cells, number);
    if (row !== null && faults.isEmpty()) rows.push(row);
    else rows = [];
    if (cells.length !== header.length && ++unevenRows > maxUnevenRows) {
      faults.add(fault("file.too_many_uneven_rows", [], { row: number }));
      return false;
    }
    return true;
  };

  try {
    const invalidCsv = await parseCsv(readUploadFile(file), takeRow);
    if (invalidCsv !== null) faults.addOfRow([], invalidCsv.fault, invalidCsv.row);
    else if (number === 0) faults.add(fault("file.empty", []));
    else if (number === 1 && header !== null) faults.add(fault("file.no_rows", []));
  } catch (failure) {
    if (!(failure instanceof UnreadableFile)) throw failure;
    faults.add(failure.fault);
  }
  if (!faults.isEmpty()) return { outcome: "invalid", faults: faults.all() };
  return { outcome: "valid", rows, channels: namedChannels(rows, rules) };
}

function namedChannels(rows: readonly UploadedRow[], { channelNamed }: UploadRules): readonly NamedChannel[] {
  const channels = [...new Set(rows.map(({ channel }) => channel))].map(channelNamed);
  return channels.flatMap((found) => {
    if (found === null) return [];
    const { name, displayName, type } = found;
    return [{ name, displayName, type }];
  });
}

function rulesFor({ kind, today, channels }: ReceivedFile): UploadRules {
  const byName = new Map(channels.map((channel) => [channel.name, channel]));
  const byDisplayName = channelsByDisplayName(byName.values());
  return {
    dates: { from: uploadKinds[kind].earliestDate(today), to: today },
    isCurrency,
    isCountryCode,
    isChannelName,
    isReservedChannel: (name) => reservedChannelNames.has(name),
    channelNamed: (name) => byName.get(name) ?? null,
    channelShownAs: (displayName) => byDisplayName.get(displayName) ?? null,
    isReportMetric: (key) => metricOf(key) !== null,
  };
}
