import type { LocalDate } from "../../domain/local-time.ts";
import { calendarDays } from "../../domain/reporting/calendar-days.ts";
import type { SimpleMetric } from "../../domain/reporting/metric.ts";
import { type AskedParts, groupedBy, groupNames, groupTexts, measuresWhere } from "./actuals-parts.ts";
import { columnsRead } from "./counted-facts.ts";
import { conditionsOf, isOfMetrics } from "./fact-conditions.ts";
import { factsOf } from "./facts-of.ts";
import { groupByColumns } from "./group-by-columns.ts";
import type { NamedMeasure } from "./measures.ts";
import type { Reading } from "./reading.ts";

const isOfDevices = ({ combinedBy }: NamedMeasure): boolean => combinedBy === "devices";

/** What devices are told apart by where they were counted (`daily-tables.ts`). */
const countedColumns: ReadonlySet<string> = new Set([
  "app_id",
  "local_date",
  "source",
  "category",
  "source_key",
  "client_key",
  "touchpoint_kind",
  "is_first_of_device",
  "is_first_of_user",
]);

/**
 * The cells of distinct devices. Of days that were counted they are added up where a cell is of one date and a metric of
 * one category: only then was a device that is in one row counted once. Of other days every fact is looked at.
 */
export function deviceParts({ reading, metrics, groupBys, measures, countedDays }: AskedParts): readonly string[] {
  const ofDevices = metrics.filter((metric) => metric.kind === "devices");
  if (ofDevices.length === 0) return [];
  const groups = groupNames(groupBys);
  const texts = groupTexts(groupBys, "appEvents");
  const areAddedUp =
    groupBys.includes(groupByColumns.event_date) && ofDevices.every(({ of }) => of.categories?.length === 1);

  const added = [...texts, ...measuresWhere(measures, isOfDevices, devicesAdded)];
  const countedPart = (days: readonly LocalDate[]): string | null => {
    let isCounted = true;
    const facts = factsOf("appEvents", reading, ofDevices, groupBys, (expressions) => {
      const read = columnsRead([...texts, ...conditions(measures), ...expressions]);
      isCounted = [...read].every((column) => countedColumns.has(column));
      return countedDevices(reading, ofDevices, days, read.has("client_key"));
    });
    return isCounted ? `select ${added.join(", ")} ${facts} ${groupedBy(groups)}` : null;
  };

  const met = [
    ...texts,
    "fact.device_key",
    ...measuresWhere(measures, isOfDevices, ({ aggregate }) => `bool_or(${aggregate})`),
  ];
  const factPart = (days: readonly LocalDate[]): string => {
    const facts = factsOf("appEvents", reading, ofDevices, groupBys, () => factsOfDays(reading, ofDevices, days));
    const devices = measuresWhere(measures, isOfDevices, ({ name }) => `count(*) filter (where ${name})`);
    return `select ${[...groups, ...devices].join(", ")}
      from (select ${met.join(", ")} ${facts} ${groupedBy([...groups, "fact.device_key"])}) as device
      ${groupedBy(groups)}`;
  };

  const { from, to } = reading.report.query;
  const all = calendarDays(from, to).map(({ date }) => date);
  const counted = areAddedUp && countedDays.length > 0 ? countedPart(countedDays) : null;
  if (counted === null) return [factPart(all)];
  const others = all.filter((date) => !countedDays.includes(date));
  return others.length === 0 ? [counted] : [counted, factPart(others)];
}

function conditions(measures: readonly NamedMeasure[]): readonly string[] {
  return measures.filter(isOfDevices).map(({ aggregate }) => aggregate);
}

function devicesAdded({ aggregate: condition }: NamedMeasure): string {
  return `coalesce(sum(fact.devices) filter (where ${condition}), 0)
    + count(distinct fact.device_key) filter (where ${condition})`;
}

function countedDevices(
  { schema, report, bind }: Reading,
  metrics: readonly SimpleMetric[],
  days: readonly LocalDate[],
  byClient: boolean,
): string {
  return `(select fact.* from ${schema}.daily_devices as fact
    where fact.app_id = ${bind(report.appId)}
      and fact.by_client = ${byClient}
      and fact.local_date = any(${bind(days)}::date[])
      and ${isOfMetrics("appEvents", metrics, bind)})`;
}

function factsOfDays(
  { schema, report, bind }: Reading,
  metrics: readonly SimpleMetric[],
  days: readonly LocalDate[],
): string {
  const { appId, position } = report;
  return `(select fact.* from ${schema}.app_events as fact
    where fact.app_id = ${bind(appId)}
      and fact.local_date = any(${bind(days)}::date[])
      and ${conditionsOf("appEvents", metrics, bind(position), bind).join(" and ")})`;
}
