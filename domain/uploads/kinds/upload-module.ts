import type { Message } from "../../fault.ts";
import type { CampaignField, CampaignParams, PublisherField, PublisherParams } from "../../values/campaign-params.ts";
import type { LocalDate } from "../../values/local-time.ts";
import type { CellValue, ReadCell } from "../cells/cell.ts";
import type { RowsStaged, SpendRow, UploadedRow } from "../events.ts";

/** One kind of upload: the files that it accepts, and the table of their rows. Registered in `upload-kinds.ts`. */
export interface UploadModule<TableName extends string = string> {
  /** What its files contain, in the words of the documentation: `ad spend`. */
  readonly title: string;
  /** Path of its POST; the path of an upload's record is this and `/{request_id}`. */
  readonly path: string;
  /** Whether `Authorization: SERVICE-API-KEY` is accepted. */
  readonly acceptsServiceApiKey: boolean;
  /** The order in a file does not matter. */
  readonly columns: readonly Column[];
  /** Maximum rows below the header (contract/uploads.md#limits). */
  readonly maxRows: number;
  /** The earliest date of a row by the local date of the upload, which is the latest one. */
  readonly earliestDate: (today: LocalDate) => LocalDate;
  readonly table: UploadTable<TableName>;
}

/** The rows of one or several kinds of upload, which replace each other (contract/uploads.md#replacement). */
export interface UploadTable<Name extends string = string> {
  readonly name: Name;
  /** Type of the events that stage its rows. */
  readonly stagedBy: RowsStaged["type"];
  /** Names of columns. The rows of a file replace all older rows that have the same values in them. */
  readonly overwriteKey: readonly string[];
  /** The columns of all its kinds. */
  readonly columns: readonly Column[];
  readonly buildRow: (cells: RowCells) => UploadedRow;
}

/** One column of a file (contract/uploads.md#columns). */
export interface Column {
  /** The same in the table, except that `date` is called `local_date` there. */
  readonly name: string;
  readonly type: "boolean" | "date" | "decimal" | "integer" | "text";
  /** The fault of a blank cell; null where the column is optional. */
  readonly blank: Message | null;
  readonly read: ReadCell;
  readonly place: Place;
}

/** The place of a column's value in a row. */
export type Place =
  | { readonly in: "row"; readonly field: CellField }
  | { readonly in: "campaignParams"; readonly field: CampaignField }
  | { readonly in: "publisher"; readonly field: PublisherField };

type FieldOf<Row> = Row extends unknown ? keyof Row : never;

export type CellField = Exclude<FieldOf<UploadedRow>, "row" | "channelType" | "campaignParams" | "publisher">;

/** The values of one row; undefined where its cell is blank. They have the types of their columns. */
export interface RowCells {
  readonly row: number;
  readonly channelType: SpendRow["channelType"];
  readonly campaignParams: CampaignParams;
  readonly publisher: PublisherParams;
  readonly fields: { readonly [Field in CellField]?: CellValue | undefined };
}
