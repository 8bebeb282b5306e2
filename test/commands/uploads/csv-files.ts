import { type Validation, validateUpload } from "../../../commands/uploads/validate-upload.ts";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import type { UploadKind } from "../../../domain/uploads/events.ts";
import { reasonOf as textsOf } from "../../../infra/http/i18n/messages.ts";

/** Local date on which the example files are received. */
export const today = "2026-04-03";

export const kinds = ["ad_spend", "legacy_cost", "metric"] as const satisfies readonly UploadKind[];

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

/** The required columns of a kind, each with a value that is right. */
export const rightCells: Readonly<Record<UploadKind, Cells>> = {
  ad_spend: spend,
  legacy_cost: spend,
  metric: { date: "2026-03-31", channel: "partner", event_category: "store visits", event_value: "2.5" },
};

/** A file of one row: right cells but for those given. Values that need quotation marks get them. */
export function oneRow(kind: UploadKind, cells: Cells = {}): string {
  const row = { ...rightCells[kind], ...cells };
  return csv([Object.keys(row), Object.values(row)]);
}

export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(quoted).join(",")}\n`).join("");
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

export interface Sending {
  readonly fileName?: string;
  readonly channels?: readonly ChannelProfile[];
}

export function validated(
  kind: UploadKind,
  file: string | Uint8Array,
  { fileName = "file.csv", channels = [] }: Sending = {},
): Promise<Validation> {
  const bytes = typeof file === "string" ? Buffer.from(file) : file;
  return validateUpload({ kind, bytes, fileName, today, channels });
}

/** The reason why a file is refused; "none" when it is not. */
export async function reasonOf(kind: UploadKind, file: string | Uint8Array, sending: Sending = {}) {
  const validation = await validated(kind, file, sending);
  return validation.outcome === "invalid" ? textsOf(validation.faults, "en") : "none";
}
