import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import { calendarDays } from "../../../domain/values/local-time.ts";
import { conditionsOf, isOfMetrics } from "./fact-conditions.ts";
import type { QueryContext } from "./query-context.ts";

/** What rows of devices are told apart by where they were counted (`daily-tables.ts`), those of any category and of each. */
const ofAnyCategory = ["app_id", "local_date", "source", "source_key", "client_key", "touchpoint_kind"];
const ofEachCategory = [...ofAnyCategory, "category", "is_first_of_device", "is_first_of_user"];

/** Which devices a statement reads. */
export interface DeviceRowsInput {
  readonly context: QueryContext;
  readonly metrics: readonly SimpleMetric[];
  /** All columns that the statement reads of app events. */
  readonly read: ReadonlySet<string>;
  /** Dates whose devices were counted before. */
  readonly aggregatedDays: readonly LocalDate[];
  /** What facts of other dates must meet besides, about `fact`. */
  readonly condition: string;
  /** Whether nothing but any app event of a device and date is asked for, of whatever category. */
  readonly isOfAny: boolean;
  /** Whether a cell is of one date and category: then devices that are in one row of these are added up. */
  readonly areAddedUp: boolean;
}

/** Subqueries with the columns read. */
export interface DeviceRows {
  /** Devices to be added up: `device_keys uuid[]`, each in no other row, nor in `others`. Null: none. */
  readonly alone: string | null;
  /** Devices to be told apart: one `device_key` a row. */
  readonly others: string;
}

/** The devices with app events: of days that were counted as they were found then, of others fact by fact. */
export function deviceRows(asked: DeviceRowsInput): DeviceRows {
  const { context, read, areAddedUp, isOfAny } = asked;
  const columns = [...new Set(["app_id", ...read])].filter((column) => column !== "device_key");
  const isAny = isOfAny && columns.every((column) => ofAnyCategory.includes(column));
  const isAggregated = isAny || columns.every((column) => ofEachCategory.includes(column));
  const counted = isAggregated ? asked.aggregatedDays : [];
  const { from, to } = context.report.query;
  const others = calendarDays(from, to).flatMap(({ date }) => (counted.includes(date) ? [] : [date]));
  const addsUp = areAddedUp && (isAny || !isOfAny) && counted.length > 0;
  const parts = [
    ...(counted.length === 0
      ? []
      : [
          `select ${columns.join(", ")}, unnest(device_keys) as device_key
           from ${countedRows(asked, counted, isAny)}${addsUp ? " and not are_alone" : ""}`,
        ]),
    ...(others.length === 0 ? [] : [`select ${[...columns, "device_key"].join(", ")} from ${facts(asked, others)}`]),
  ];
  return {
    alone: addsUp
      ? `(select ${[...columns, "device_keys"].join(", ")} from ${countedRows(asked, counted, isAny)} and are_alone)`
      : null,
    others: `(${parts.join(" union all ")})`,
  };
}

/** `from` on, open at its end for more conditions. */
function countedRows(
  { context: { schema, report, bind }, metrics, read }: DeviceRowsInput,
  days: readonly LocalDate[],
  isAny: boolean,
): string {
  const isOfCategories = isAny
    ? "fact.category is null"
    : `fact.category is not null and ${isOfMetrics("appEvents", metrics, bind)}`;
  return `${schema}.daily_devices as fact
    where fact.app_id = ${bind(report.appId)}
      and fact.by_client = ${read.has("client_key")}
      and fact.local_date = any(${bind(days)}::date[])
      and ${isOfCategories}`;
}

function facts({ context, metrics, condition }: DeviceRowsInput, days: readonly LocalDate[]): string {
  const { schema, report, bind } = context;
  const { appId, position } = report;
  return `${schema}.app_events as fact
    where fact.app_id = ${bind(appId)}
      and fact.local_date = any(${bind(days)}::date[])
      and ${[...conditionsOf("appEvents", metrics, bind(position), bind), condition].join(" and ")}`;
}
