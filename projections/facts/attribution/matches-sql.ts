import type { MatchType } from "../../../domain/attribution/events.ts";
import type { SchemaName } from "../../projection.ts";
import { eligibilityClasses } from "../touchpoints/eligibility-class.ts";
import type { OpenTarget } from "./target-events.ts";

/** No lookback window of probabilistic matches is longer (contract/administration.md#attribution-rules). */
const probabilisticReach = "30 days";
/** Maximum number of touchpoints of one address and class that are searched. */
const maxOfOneAddress = 20_000;

const touchpointColumns = [
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
  "eligibility_class",
];
const columnList = touchpointColumns.join(", ");

/** A select of the touchpoints that match by one identifier. */
type Matching = (schema: SchemaName, max: number) => string;

const matchings: readonly (readonly [identifier: keyof OpenTarget, select: Matching])[] = [
  ["clickId", byClickId],
  ["deviceKey", byKey("device_key")],
  ["gaidKey", byKey("gaid_key")],
  ["idfaKey", byKey("idfa_key")],
  ["idfvKey", byKey("idfv_key")],
  ["ipKey", byAddress],
];

/**
 * `select` of all touchpoints that match `targets`, the rows of `target` (contract/attribution.md#candidates), of the same
 * app, at or before the target event and at or below its position. Columns: `n` of the target, `identifier` and
 * `matched_by`, and those of the touchpoint, once for each identifier that matches. Only the `max` newest touchpoints of
 * each identifier and class are read, by an index of its own; conflicting touchpoints of an address are a separate class.
 * Identifiers that no target has are left out, as planning the look-up takes longer than most look-ups.
 */
export function selectMatches(schema: SchemaName, targets: readonly OpenTarget[], max: number): string {
  return matchings
    .filter(([identifier]) => targets.some((target) => target[identifier] !== null))
    .map(([, select]) => select(schema, max))
    .join("\nunion all\n");
}

function byClickId(schema: SchemaName): string {
  return `select ${matchColumns("click_id", "click_id", "false")}
    from target
    join ${schema}.touchpoints as matched
      on matched.app_id = target.app_id and matched.touchpoint_id = target.click_id
    where matched.kind = 'click' and ${upToTarget("matched")}`;
}

function byKey(column: string): Matching {
  return (schema, max) => `select ${matchColumns(column, "device_id", "false")}
    from target
    cross join ${eachClass}
    cross join lateral (
      select ${columnList}
      from ${schema}.touchpoints as near
      where near.app_id = target.app_id and near.${column} = target.${column}
        and near.eligibility_class = class.number and ${upToTarget("near")}
      order by near.at desc
      limit ${max}
    ) as matched`;
}

function byAddress(schema: SchemaName, max: number): string {
  return `select ${matchColumns("ip_key", "probabilistic", "conflict.exists")}
    from target
    cross join ${eachClass}
    cross join (values (false), (true)) as conflict(exists)
    cross join lateral (
      select ${columnList}
      from (
        select ${columnList}, os, os_version
        from ${schema}.touchpoints as near
        where near.app_id = target.app_id and near.ip_key = target.ip_key
          and near.eligibility_class = class.number and ${upToTarget("near")}
          and near.at >= target.at - interval '${probabilisticReach}'
        order by near.at desc
        limit ${maxOfOneAddress}
      ) as near
      where near.os = target.os
        and (near.os_version = target.os_version or near.os_version is null or target.os_version is null)
        and (${["device_key", "gaid_key", "idfa_key", "idfv_key"].map(differs).join(" or ")}) = conflict.exists
      order by near.at desc
      limit ${max}
    ) as matched`;
}

const eachClass = `unnest('{${eligibilityClasses.join(",")}}'::smallint[]) as class(number)`;

function matchColumns(identifier: string, matchedBy: MatchType, isConflicting: string): string {
  const matched = touchpointColumns.map((column) => `matched.${column}`).join(", ");
  return `target.n::integer, '${identifier}' as identifier, '${matchedBy}' as matched_by,
      ${isConflicting} as is_conflicting, ${matched}`;
}

function upToTarget(alias: string): string {
  return `${alias}.at <= target.at and ${alias}.position <= target.position`;
}

function differs(column: string): string {
  return `coalesce(near.${column} <> target.${column}, false)`;
}
