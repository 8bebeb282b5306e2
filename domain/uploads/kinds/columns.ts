import type { Message } from "../../fault.ts";
import { campaignFields, publisherFields } from "../../values/campaign-params.ts";
import type { CellValue, ReadCell } from "../cells/cell.ts";
import { readText } from "../cells/text.ts";
import type { SpendRow, UploadedRow } from "../events.ts";
import type { CellField, Column, Place } from "./upload-module.ts";

const blankText = { code: "cell.blank" };
const blankNumber = { code: "cell.blank_number" };

export function requiredColumn(name: string, read: ReadCell, type: Column["type"] = "text"): Column {
  return column(name, type, blankText, read);
}

export function requiredNumber(name: string, read: ReadCell, type: "decimal" | "integer"): Column {
  return column(name, type, blankNumber, read);
}

export function optionalColumn(name: string, read: ReadCell = readText, type: Column["type"] = "text"): Column {
  return column(name, type, null, read);
}

export const publisherColumns: readonly Column[] = Object.keys(publisherFields).map((name) => optionalColumn(name));

/** Whether a file must have the column, with a value in every row. */
export function isRequired({ blank }: Column): boolean {
  return blank !== null;
}

function column(name: string, type: Column["type"], blank: Message | null, read: ReadCell): Column {
  return { name, type, blank, read, place: placeOf(name) };
}

/** Campaign and publisher parameters are groups of a row; any other field is called like its column, in camel case. */
function placeOf(name: string): Place {
  if (isKeyOf(campaignFields, name)) return { in: "campaignParams", field: campaignFields[name] };
  if (isKeyOf(publisherFields, name)) return { in: "publisher", field: publisherFields[name] };
  return { in: "row", field: name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()) as CellField };
}

function isKeyOf<Fields extends object>(fields: Fields, name: string): name is keyof Fields & string {
  return Object.hasOwn(fields, name);
}

/** The value of a column in a row; undefined if its cell was blank. */
export function columnValue({ place }: Column, row: UploadedRow): CellValue | undefined {
  const fields = place.in === "row" ? row : ((row as Partial<SpendRow>)[place.in] ?? {});
  return (fields as { readonly [field: string]: CellValue | undefined })[place.field];
}
