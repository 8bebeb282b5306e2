import type { RowsStaged, UploadEvent, UploadKind } from "./events.ts";
import { metric } from "./kinds/metric.ts";
import { adSpend, legacyCost } from "./kinds/spend.ts";
import type { UploadModule, UploadTable } from "./kinds/upload-module.ts";

const registered = { ad_spend: adSpend, legacy_cost: legacyCost, metric } as const satisfies {
  readonly [Kind in UploadKind]: UploadModule;
};

export type UploadTableName = (typeof registered)[UploadKind]["table"]["name"];

/** Every kind of upload. */
export const uploadKinds: { readonly [Kind in UploadKind]: UploadModule<UploadTableName> } = registered;

export const kindNames = Object.keys(uploadKinds) as readonly UploadKind[];

/** The tables of all kinds. */
export const uploadTables: readonly UploadTable<UploadTableName>[] = [
  ...new Set(Object.values(uploadKinds).map(({ table }) => table)),
];

/** Types of the events that stage rows. */
export const stagingTypes: readonly RowsStaged["type"][] = uploadTables.map(({ stagedBy }) => stagedBy);

export function isRowsStaged(event: UploadEvent): event is RowsStaged {
  return stagingTypes.some((type) => type === event.type);
}
