import { type Validation, validateFile } from "../../../commands/uploads/validate-upload.ts";
import { builtInChannels } from "../../../domain/channels/built-in.ts";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import { type Fault, fault, type Message } from "../../../domain/fault.ts";
import { readText } from "../../../domain/uploads/cells/text.ts";
import type { UploadKind } from "../../../domain/uploads/events.ts";
import { uploadKinds } from "../../../domain/uploads/upload-kinds.ts";

/** Local date on which the example files are received. */
const today = "2026-04-03";

type Cells = { readonly [column: string]: string };

const spend: Cells = {
  date: "2026-03-31",
  channel: "partner",
  currency: "USD",
  campaign: "spring",
  impressions: "10",
  clicks: "1",
  cost: "0.5",
};

/** The required columns of a kind, each with a valid value. */
export const validCells: Readonly<Record<UploadKind, Cells>> = {
  ad_spend: spend,
  legacy_cost: spend,
  metric: { date: "2026-03-31", channel: "partner", event_category: "store visits", event_value: "2.5" },
};

/** The columns of a kind that accept any text. */
export function textColumns(kind: UploadKind): readonly string[] {
  return uploadKinds[kind].columns.filter(({ read }) => read === readText).map(({ name }) => name);
}

/** A file of one row: valid cells, except for `cells`. */
export function oneRow(kind: UploadKind, cells: Cells = {}): string {
  const row = { ...validCells[kind], ...cells };
  return csv([Object.keys(row), Object.values(row)]);
}

/** Quotes the values that need it. */
export function csv(rows: readonly (readonly string[])[]): string {
  const quoted = (value: string) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  return rows.map((row) => `${row.map(quoted).join(",")}\n`).join("");
}

interface Options {
  readonly fileName?: string;
  readonly channels?: readonly ChannelProfile[];
}

export function validated(
  kind: UploadKind,
  file: string | Uint8Array,
  { fileName = "file.csv", channels = [] }: Options = {},
): Promise<Validation> {
  const bytes = typeof file === "string" ? Buffer.from(file) : file;
  return validateFile({ kind, bytes, fileName, today, channels: [...builtInChannels, ...channels] });
}

/** The faults of a file; none when it is valid. */
export async function faultsOf(kind: UploadKind, file: string | Uint8Array, options: Options = {}) {
  const validation = await validated(kind, file, options);
  return validation.outcome === "invalid" ? validation.faults : [];
}

/** A fault of the whole file. */
export const ofFile = (code: string, params?: Message["params"]): Fault => fault(code, [], params);

/** A fault in some rows. `rows` are the numbers of at most the first 20 of `count` rows. */
export const inRows = (
  { code, params }: Message,
  column: string | null,
  rows: readonly number[],
  count = rows.length,
): Fault => fault(code, column === null ? [] : [column], { ...params, rows, count });
