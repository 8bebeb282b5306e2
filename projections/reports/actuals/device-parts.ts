import { deviceRows } from "../facts/daily-aggregates.ts";
import { columnsRead, fromClause } from "../facts/from-clause.ts";
import { groupByColumns } from "../facts/group-by-columns.ts";
import { groupedBy, groupNames, groupTexts } from "../facts/grouping.ts";
import { metricSql } from "../facts/metric-sql.ts";
import { measuresWhere, type PartsInput } from "./fact-parts.ts";
import type { NamedMeasure } from "./measures.ts";

const isOfDevices = ({ combinedBy }: NamedMeasure): boolean => combinedBy === "devices";

/**
 * The cells of distinct devices. Where a cell is of one date and a metric of one category, devices that were found in
 * one row of an aggregated day are added up; all others are counted as distinct.
 */
export function deviceParts({ context, metrics, groupBys, measures, aggregatedDays }: PartsInput): readonly string[] {
  const ofDevices = metrics.filter((metric) => metric.kind === "devices");
  if (ofDevices.length === 0) return [];
  const groups = groupNames(groupBys);
  const texts = groupTexts(groupBys, "appEvents");
  const { alone, others } = deviceRows({
    context,
    metrics: ofDevices,
    read: columnsRead(
      "appEvents",
      context,
      groupBys,
      ofDevices.flatMap((metric) => metricSql(metric, context).columns),
    ),
    aggregatedDays,
    condition: "true",
    isOfAny: false,
    areAddedUp:
      groupBys.includes(groupByColumns.event_date) && ofDevices.every(({ of }) => of.categories?.length === 1),
  });
  const from = (rows: string): string => fromClause("appEvents", context, ofDevices, groupBys, rows);

  const met = measuresWhere(measures, isOfDevices, ({ aggregate }) => `bool_or(${aggregate})`);
  const distinct = measuresWhere(measures, isOfDevices, ({ name }) => `count(*) filter (where ${name})`);
  const parts = [
    `select ${[...groups, ...distinct].join(", ")}
     from (
       select ${[...texts, "fact.device_key", ...met].join(", ")}
       ${from(others)} ${groupedBy([...groups, "fact.device_key"])}
     ) as device
     ${groupedBy(groups)}`,
  ];
  if (alone === null) return parts;
  const addedUp = measuresWhere(
    measures,
    isOfDevices,
    ({ aggregate }) => `coalesce(sum(cardinality(fact.device_keys)) filter (where ${aggregate}), 0)`,
  );
  return [...parts, `select ${[...texts, ...addedUp].join(", ")} ${from(alone)} ${groupedBy(groups)}`];
}
