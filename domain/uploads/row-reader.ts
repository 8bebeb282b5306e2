import type { CampaignField, PublisherField, PublisherParams } from "../values/campaign-params.ts";
import { type CellFault, type CellValue, faultOfAnyCell, isFault } from "./cell.ts";
import type { Column } from "./columns.ts";
import type { UploadKind } from "./events.ts";
import { type FaultList, wholeFile } from "./fault-list.ts";
import type { Header } from "./header.ts";
import { metricRow, noFields, type RowCells, type RowOf, spendRow } from "./rows.ts";
import { longestValue } from "./upload-limits.ts";
import type { UploadRules } from "./upload-rules.ts";

/** Reads the cells of a row; null when it has faults, which are in the list then. */
export type ReadRow<Kind extends UploadKind> = (cells: readonly string[], row: number) => RowOf<Kind> | null;

const noPublisher: PublisherParams = Object.freeze({});

/** Different texts of one column after which no more of it are remembered: it is one that seldom repeats itself. */
const mostRemembered = 1_000;

type Read = CellValue | CellFault | undefined;

/**
 * Reads rows under a header, which must have no faults for the rows to be complete: under one that has, what it answers
 * is worth nothing but the faults that it finds.
 */
export function createRowReader<Kind extends UploadKind>(
  kind: Kind,
  header: Header,
  rules: UploadRules,
  faults: FaultList,
): ReadRow<Kind> {
  const hasPublisher = header.some((column) => column?.place.in === "publisher");
  const build = (kind === "metric" ? metricRow : spendRow) as (cells: RowCells) => RowOf<Kind>;
  const faultOfLength = `must have ${header.length} values, as the header has`;
  /** One for all rows: each row fills the same fields, with undefined where its cell is blank. */
  const filled: RowCells = {
    row: 0,
    channelType: "custom",
    campaignParams: {},
    publisher: noPublisher,
    fields: { ...noFields },
  };
  // Most columns say the same few things again and again: read once, a text is one value in memory for all its rows.
  const memories = header.map((): Map<string, Read> | null => new Map());
  const read = (index: number, column: Column, text: string): Read => {
    if (text === "") return column.blank ?? undefined;
    const memory = memories[index];
    const known = memory?.get(text);
    if (known !== undefined) return known;
    const value = faultOfAnyCell(text) ?? column.read(text, rules);
    if (memory && memory.size === mostRemembered) memories[index] = null;
    else if (text.length <= longestValue) memory?.set(text, value);
    return value;
  };

  return (cells, number) => {
    if (cells.length !== header.length) {
      faults.addOfRow(wholeFile, faultOfLength, number);
      return null;
    }
    let hasFault = false;
    const campaignParams: { [Field in CampaignField]?: string } = {};
    const publisher: { [Field in PublisherField]?: string } = hasPublisher ? {} : noPublisher;
    for (let index = 0; index < cells.length; index += 1) {
      const column = header[index];
      if (column === null || column === undefined) continue;
      const value = read(index, column, cells[index] ?? "");
      if (isFault(value)) {
        faults.addOfRow(column.name, value.fault, number);
        hasFault = true;
        continue;
      }
      const { place } = column;
      if (place.in === "row") filled.fields[place.field] = value;
      else if (value === undefined) continue;
      else if (place.in === "campaignParams") campaignParams[place.field] = value as string;
      else publisher[place.field] = value as string;
    }
    if (hasFault) return null;
    filled.row = number;
    filled.channelType = rules.channelNamed(filled.fields.channel as string)?.type ?? "custom";
    filled.campaignParams = campaignParams;
    filled.publisher = publisher;
    return build(filled);
  };
}
