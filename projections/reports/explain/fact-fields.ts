import type { TouchpointKind } from "../../../domain/touchpoints/events.ts";
import type { FactKind } from "../facts/fact-kinds.ts";
import { type GroupByColumn, groupByColumns } from "../facts/group-by-columns.ts";
import { positionOfEvent, touchpointView, type ViewContext } from "../masking/fact-view.ts";

/** A fact in an explanation. `position`: the log position of its event. */
export type ExplainedFact =
  | {
      readonly kind: "touchpoint";
      readonly touchpointId: string;
      readonly position: string;
      readonly occurredAt: string;
      readonly touchpointKind: TouchpointKind;
      readonly channel: string;
      readonly campaign: string | null;
    }
  | {
      readonly kind: "app_event";
      readonly eventId: string;
      readonly position: string;
      /**
       * Later than its position when it was relabelled: by a decision, or an earlier first
       * (contract/attribution.md#revisions, contract/attribution.md#first-installs).
       */
      readonly countsFrom: string;
      readonly occurredAt: string;
      readonly category: string;
      /** The device (contract/ingest.md#devices). */
      readonly userId: string;
      /** The touchpoint that won it; null: unattributed, or masked itself (contract/reports.md#masking). */
      readonly touchpointId: string | null;
      readonly channel: string;
      readonly campaign: string | null;
      /** The start that it is a return of; only in cohorts. */
      readonly startEventId?: string;
    }
  | (UploadedRow & { readonly kind: "spend_row" })
  | (UploadedRow & { readonly kind: "metric_row"; readonly eventCategory: string });

interface UploadedRow {
  readonly requestId: string;
  /** Row number in its file; the header is row 1. */
  readonly row: number;
  /** Position of the ingest that put it in force. */
  readonly position: string;
  readonly date: string;
  readonly channel: string;
  readonly campaign: string | null;
}

/** The fields of a kind of facts in an explanation, with their SQL over `fact`, except where stated otherwise. */
interface FactFields {
  readonly kind: ExplainedFact["kind"];
  /** The log position from which on a fact counts in its current form. */
  readonly since: string;
  /** What identifies a fact. */
  readonly ids: Fields;
  readonly details: Fields;
  /**
   * Fields that are looked up for the facts of a page: over `counted`, which has `app_id`, `since`, ids and details.
   */
  onPage(context: ViewContext): Fields;
}

export interface Fields {
  readonly [field: string]: string;
}

/** Fields that are read for facts of any kind and any report. */
export const explainedColumns: readonly GroupByColumn[] = [groupByColumns.channel, groupByColumns.campaign];

const onlyPosition = (): Fields => ({ position: "since::text" });
const rowOfFile = { requestId: "fact.request_id", row: "fact.row" };
const advertising = (kind: FactKind): Fields => ({
  channel: groupByColumns.channel[kind].text,
  campaign: groupByColumns.campaign[kind].text,
});

export const factFields: { readonly [kind in FactKind]: FactFields } = {
  touchpoints: {
    kind: "touchpoint",
    since: "fact.position",
    ids: { touchpointId: "fact.touchpoint_id" },
    onPage: onlyPosition,
    details: { occurredAt: "fact.at", touchpointKind: "fact.kind", ...advertising("touchpoints") },
  },
  appEvents: {
    kind: "app_event",
    since: "fact.from_position",
    ids: { eventId: "fact.event_id" },
    // The first version of an event begins at the position of the event in the log, others where it was relabelled.
    onPage: (context) => ({
      position: `(${positionOfEvent(context, "counted", '"eventId"')})::text`,
      countsFrom: "since::text",
      touchpointId: `(select touch.touchpoint_id
        from (select) as of_event left join ${touchpointView(context, "counted", '"touchpointId"')})`,
    }),
    details: {
      occurredAt: "fact.at",
      category: "fact.category",
      userId: "fact.device_key",
      touchpointId: "fact.touchpoint_id",
      ...advertising("appEvents"),
    },
  },
  spend: {
    kind: "spend_row",
    since: "fact.from_position",
    ids: rowOfFile,
    onPage: onlyPosition,
    details: { date: "fact.local_date", ...advertising("spend") },
  },
  uploadedMetrics: {
    kind: "metric_row",
    since: "fact.from_position",
    ids: rowOfFile,
    onPage: onlyPosition,
    details: { date: "fact.local_date", ...advertising("uploadedMetrics"), eventCategory: "fact.event_category" },
  },
};
