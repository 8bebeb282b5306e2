import type { Candidate, Candidates } from "../../../domain/attribution/candidate.ts";
import type { MatchType } from "../../../domain/attribution/events.ts";
import type { TouchpointKind } from "../../../domain/touchpoints/events.ts";
import type { ReadModel, SchemaName } from "../../projection.ts";
import { sourcesOf } from "../dimensions/dimensions.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { eligibilityClasses } from "../touchpoints/eligibility-class.ts";
import { identifierColumns } from "../touchpoints/identifier-keys.ts";
import type { OpenTarget } from "./targets.ts";

/** Maximum number of touchpoints listed for each identifier and eligibility class; the others are counted. */
const maxListed = 1_000;
/** The same while many target events are read at once; one with more is read again, alone, as a flood fills memory. */
const maxOfMany = 50;
/** Maximum number of touchpoints counted for each identifier and class. */
const maxCounted = 20_000;

const columns: Columns<OpenTarget> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  at: { type: "timestamptz", of: ({ at }) => new Date(at).toISOString() },
  position: { type: "bigint", of: ({ position }) => position },
  click_id: { type: "uuid", of: ({ clickId }) => clickId },
  device_key: { type: "uuid", of: ({ deviceKey }) => deviceKey },
  ...identifierColumns,
  os: { type: "text", of: ({ os }) => os },
  os_version: { type: "text", of: ({ osVersion }) => osVersion },
};

interface MatchRow {
  readonly n: number;
  readonly identifier: string;
  readonly matched_by: MatchType;
  readonly is_conflicting: boolean;
  readonly touchpoint_id: string;
  readonly position: bigint;
  readonly kind: TouchpointKind;
  readonly human: boolean;
  readonly at: Date;
  readonly source_key: bigint;
  readonly device_key: string | null;
  readonly gaid_key: bigint | null;
  readonly idfa_key: bigint | null;
  readonly idfv_key: bigint | null;
  readonly eligibility_class: number;
}

/**
 * The touchpoints that match each of some target events (contract/attribution.md#candidates), in the order of
 * `targets`; a touchpoint is listed once for each identifier that matches. Of a flood of touchpoints, the newest of
 * each eligibility class are listed and the others counted. Floods are read when they are asked for, one at a time.
 */
export async function* eachCandidates(
  readModel: ReadModel,
  targets: readonly OpenTarget[],
): AsyncGenerator<Candidates> {
  if (targets.length === 0) return;
  const isOne = targets.length === 1;
  const matches = await matchesOf(readModel, targets, isOne ? maxListed : maxOfMany);
  for (const [index, target] of targets.entries()) {
    const { listed, isFull } = matches[index] ?? { listed: [], isFull: false };
    if (!isFull) yield { listed, unlisted: 0 };
    else if (isOne) yield { listed, unlisted: (await countOf(readModel, target)) - distinct(listed) };
    else yield* eachCandidates(readModel, [target]);
  }
}

/** All {@link eachCandidates} at once. */
export async function candidatesOf(
  readModel: ReadModel,
  targets: readonly OpenTarget[],
): Promise<readonly Candidates[]> {
  const all: Candidates[] = [];
  for await (const candidates of eachCandidates(readModel, targets)) all.push(candidates);
  return all;
}

interface Matches {
  readonly listed: Candidate[];
  /** Whether there may be more than `max` of an identifier and class. */
  isFull: boolean;
}

/** The matches of each target event, at most `max` of each identifier and class. */
async function matchesOf(
  readModel: ReadModel,
  targets: readonly OpenTarget[],
  max: number,
): Promise<readonly Matches[]> {
  const { text, values } = unnest(targets, columns, "target", { ordinality: true });
  const { rows }: { rows: readonly MatchRow[] } = await readModel.db.raw(
    `with target as materialized (select * from ${text}) ${selectMatches(readModel.schema, targets, max)}`,
    [...values],
  );
  const sources = await sourcesOf(
    readModel,
    rows.map(({ n, source_key }) => ({ appId: targets[n - 1]?.appId ?? 0, key: source_key })),
  );
  const matches = targets.map((): Matches => ({ listed: [], isFull: false }));
  const counts = new Map<string, number>();
  for (const row of rows) {
    const { n, source_key, matched_by, touchpoint_id, kind, human, at, position } = row;
    const source = sources.get(`${targets[n - 1]?.appId} ${source_key}`);
    if (source === undefined) throw new Error(`Source ${source_key} of touchpoint ${touchpoint_id} is not stored`);
    const ofTarget = matches[n - 1];
    if (ofTarget === undefined) throw new Error(`Touchpoint ${touchpoint_id} matches no target event`);
    ofTarget.listed.push({
      touchpointId: touchpoint_id,
      kind,
      at: at.getTime(),
      position,
      matchedBy: matched_by,
      human,
      source,
      deviceKey: row.device_key,
      gaidKey: row.gaid_key,
      idfaKey: row.idfa_key,
      idfvKey: row.idfv_key,
    });
    const group = `${n} ${row.identifier} ${row.eligibility_class} ${row.is_conflicting}`;
    const count = (counts.get(group) ?? 0) + 1;
    counts.set(group, count);
    if (count >= max) ofTarget.isFull = true;
  }
  return matches;
}

/** How many touchpoints match a target event; a lower bound above `maxCounted`. */
async function countOf({ db, schema }: ReadModel, target: OpenTarget): Promise<number> {
  const { text, values } = unnest([target], columns, "target", { ordinality: true });
  const { rows }: { rows: readonly { readonly count: bigint }[] } = await db.raw(
    `with target as materialized (select * from ${text})
     select count(distinct touchpoint_id) as count
     from (${selectMatches(schema, [target], maxCounted)}) as matched`,
    [...values],
  );
  return Number(rows[0]?.count ?? 0);
}

function distinct(candidates: readonly Candidate[]): number {
  return new Set(candidates.map(({ touchpointId }) => touchpointId)).size;
}

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
function selectMatches(schema: SchemaName, targets: readonly OpenTarget[], max: number): string {
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
