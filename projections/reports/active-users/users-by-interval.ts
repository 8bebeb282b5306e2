import { fromClause } from "../facts/from-clause.ts";
import { columnOf, groupedBy, groupNames, groupTexts } from "../facts/group-by-columns.ts";
import { hasMaskedFacts } from "../masking/fact-view.ts";
import { mergeWithheldGroups } from "../masking/fully-masked-rows.ts";
import { intervalOfFact } from "./interval-number.ts";
import { type ActiveUsersContext, type UserKind, userMetricSql } from "./user-counts.ts";

/**
 * Tables for the `with` of a statement; the last one, `<kind>_group`, has a row for each group: `group_bys text[]`; `activity
 * text`, the number of each interval with any value, and its counts; each count summed over the intervals;
 * `masking_reasons integer`, why some of the group was masked, as bits; of the paying `is_any_unconverted boolean`,
 * whether any amount is unconverted.
 */
export function usersByInterval(kind: UserKind, context: ActiveUsersContext): readonly string[] {
  const { report, bind } = context;
  const { metrics, condition, ofDevice, ofInterval, counts, shown, hasActivity } = userMetricSql(kind, context);
  const columns = report.query.groupBys.map(columnOf);
  const names = groupNames(columns);
  const texts = groupTexts(columns, "appEvents");
  const interval = intervalOfFact(report, bind);
  const activity = `concat_ws(' ', ${[interval.number, ...shown].join(", ")})`;
  const rows = `${kind}_interval`;
  const merged = mergeWithheldGroups(rows, report.query.groupBys, names, "is_any_unmasked", [
    ...["interval_key", ...counts, "masking_reasons", "is_any_unconverted"],
  ]);
  return [
    `${kind}_device as (
      select ${[...texts, `${interval.key} as interval_key`, ...ofDevice].join(", ")}
      ${fromClause("appEvents", context, metrics, columns)}
        and ${condition}
      ${groupedBy([...names, "interval_key", "fact.device_key"])}
    )`,
    `${rows} as (
      select ${[...names, "interval_key", ...ofInterval].join(", ")}
      from ${kind}_device
      ${groupedBy([...names, "interval_key"])}
    )`,
    `${kind}_interval_of_group as (
      ${hasMaskedFacts("appEvents", context) ? merged : `select * from ${rows}`}
    )`,
    `${kind}_group as (
      select array[${names.join(", ")}]::text[] as group_bys,
        string_agg(${activity}, ',' order by interval_key) filter (where ${hasActivity}) as activity,
        ${counts.map((count) => `sum(${count}) as ${count}`).join(", ")},
        bit_or(masking_reasons) as masking_reasons,
        bool_or(is_any_unconverted) as is_any_unconverted
      from ${kind}_interval_of_group
      ${groupedBy(names)}
    )`,
  ];
}
