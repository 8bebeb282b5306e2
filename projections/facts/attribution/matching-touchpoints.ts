import type { MatchType } from "../../../domain/attribution/events.ts";
import type { SchemaName } from "../../projection.ts";
import { eligibilityClasses } from "../touchpoints/eligibility-class.ts";

/**
 * Of probabilistic matches nothing older counts: no lookback window is longer
 * (contract/administration.md#attribution-rules).
 */
const probabilisticReach = "30 days";
/** So far back goes the search among the touchpoints of one address, of each class. */
const mostOfOneAddress = 20_000;

const columns = [
  "touchpoint_id",
  "position",
  "kind",
  "human",
  "at",
  "source_key",
  "device_key",
  "gaid_key",
  "idfa_key",
  "idfv_key",
  "match_class",
];
const read = columns.join(", ");

/**
 * `select` of all touchpoints that match the rows of `target` (contract/attribution.md#candidates), of the same app, at
 * or before the target event and at or below its position. Columns: `n` of the target, `way` and `matched_by`, and
 * those of the touchpoint; one that matches in several ways is there as often. Each way and class gives the `most`
 * newest, and reads no more by its own index; conflicting touchpoints of an address are a class of their own.
 */
export function matchesOf(schema: SchemaName, most: number): string {
  const ways = [
    byClickId(schema),
    ...["device_key", "gaid_key", "idfa_key", "idfv_key"].map((column) => byKey(schema, column, most)),
    byAddress(schema, most),
  ];
  return ways.join("\nunion all\n");
}

function byClickId(schema: SchemaName): string {
  return `select ${way("click_id", "click_id", "false")}
    from target
    join ${schema}.touchpoints as matched
      on matched.app_id = target.app_id and matched.touchpoint_id = target.click_id
    where matched.kind = 'click' and ${upToTarget("matched")}`;
}

function byKey(schema: SchemaName, column: string, most: number): string {
  return `select ${way(column, "device_id", "false")}
    from target
    cross join ${eachClass}
    cross join lateral (
      select ${read}
      from ${schema}.touchpoints as near
      where near.app_id = target.app_id and near.${column} = target.${column}
        and near.match_class = class.number and ${upToTarget("near")}
      order by near.at desc
      limit ${most}
    ) as matched`;
}

function byAddress(schema: SchemaName, most: number): string {
  return `select ${way("ip_key", "probabilistic", "conflict.is_there")}
    from target
    cross join ${eachClass}
    cross join (values (false), (true)) as conflict(is_there)
    cross join lateral (
      select ${read}
      from (
        select ${read}, os, os_version
        from ${schema}.touchpoints as near
        where near.app_id = target.app_id and near.ip_key = target.ip_key
          and near.match_class = class.number and ${upToTarget("near")}
          and near.at >= target.at - interval '${probabilisticReach}'
        order by near.at desc
        limit ${mostOfOneAddress}
      ) as near
      where near.os = target.os
        and (near.os_version = target.os_version or near.os_version is null or target.os_version is null)
        and (${["device_key", "gaid_key", "idfa_key", "idfv_key"].map(differs).join(" or ")}) = conflict.is_there
      order by near.at desc
      limit ${most}
    ) as matched`;
}

const eachClass = `unnest('{${eligibilityClasses.join(",")}}'::smallint[]) as class(number)`;

function way(name: string, matchedBy: MatchType, isConflicting: string): string {
  const matched = columns.map((column) => `matched.${column}`).join(", ");
  return `target.n::integer, '${name}' as way, '${matchedBy}' as matched_by, ${isConflicting} as is_conflicting, ${matched}`;
}

function upToTarget(alias: string): string {
  return `${alias}.at <= target.at and ${alias}.position <= target.position`;
}

function differs(column: string): string {
  return `coalesce(near.${column} <> target.${column}, false)`;
}
