import type { Message } from "../fault.ts";
import type { CampaignField, PublisherField, PublisherParams } from "../values/campaign-params.ts";
import { type CellValue, faultOfAnyCell, isCellFault, maxValueLength, type UploadRules } from "./cells/cell.ts";
import type { UploadedRow } from "./events.ts";
import type { FaultList } from "./fault-list.ts";
import type { Header } from "./header.ts";
import type { Column, RowCells, UploadTable } from "./kinds/upload-module.ts";

/** Reads the cells of a row; null when it has faults, which are added to the list. */
export type ReadRow = (cells: readonly string[], row: number) => UploadedRow | null;

const noPublisher: PublisherParams = Object.freeze({});

/** A column with more distinct texts is no longer cached: its values seldom repeat. */
const maxCached = 1_000;

type Read = CellValue | Message | undefined;
type Mutable<Fields> = { -readonly [Field in keyof Fields]: Fields[Field] };

/** Reads the rows below a header. Below a header with faults, only its faults are used. */
export function createRowReader(
  { columns, buildRow }: Pick<UploadTable, "columns" | "buildRow">,
  header: Header,
  rules: UploadRules,
  faults: FaultList,
): ReadRow {
  const hasPublisher = header.some((column) => column?.place.in === "publisher");
  const wrongLength = { code: "file.wrong_row_length", params: { columns: header.length } };
  // One object for all rows: every row sets every field, to undefined for a blank cell.
  const fields: Mutable<RowCells["fields"]> = Object.fromEntries(
    columns.flatMap(({ place }) => (place.in === "row" ? [[place.field, undefined]] : [])),
  );
  // Most columns repeat a few texts: each is read once, and its value is shared by all rows.
  const caches = header.map((): Map<string, Read> | null => new Map());
  const read = (index: number, column: Column, text: string): Read => {
    if (text === "") return column.blank ?? undefined;
    const cache = caches[index];
    const cached = cache?.get(text);
    if (cached !== undefined) return cached;
    const value = faultOfAnyCell(text) ?? column.read(text, rules);
    if (cache && cache.size === maxCached) caches[index] = null;
    else if (text.length <= maxValueLength) cache?.set(text, value);
    return value;
  };

  return (cells, row) => {
    if (cells.length !== header.length) {
      faults.addOfRow([], wrongLength, row);
      return null;
    }
    let hasFault = false;
    const campaignParams: { [Field in CampaignField]?: string } = {};
    const publisher: { [Field in PublisherField]?: string } = hasPublisher ? {} : noPublisher;
    for (let index = 0; index < cells.length; index += 1) {
      const column = header[index];
      if (column === null || column === undefined) continue;
      const value = read(index, column, cells[index] ?? "");
      if (isCellFault(value)) {
        faults.addOfRow([column.name], value, row);
        hasFault = true;
        continue;
      }
      const { place } = column;
      if (place.in === "row") fields[place.field] = value;
      else if (value === undefined) continue;
      else if (place.in === "campaignParams") campaignParams[place.field] = value as string;
      else publisher[place.field] = value as string;
    }
    if (hasFault) return null;
    const channelType = rules.channelNamed(fields.channel as string)?.type ?? "custom";
    return buildRow({ row, channelType, campaignParams, publisher, fields });
  };
}
