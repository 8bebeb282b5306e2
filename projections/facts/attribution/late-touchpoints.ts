import type { Candidate } from "../../../domain/attribution/candidates.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import { maxLookbackSeconds } from "../../../domain/attribution/duration.ts";
import { ineligibilityOf } from "../../../domain/attribution/eligibility.ts";
import { matchTypeOf } from "../../../domain/attribution/match-type.ts";
import { maxTargetsOfKey } from "../../../domain/attribution/revisions.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { TouchpointEvent } from "../../../domain/touchpoints/events.ts";
import { type KnownApps, saltOf } from "../dimensions/apps.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { identifierKeysOf } from "../touchpoints/identifier-keys.ts";
import { allRulesOf, type StoredRules } from "./attribution-rules.ts";
import { type OpenTarget, type TargetRow, targetFrom, targetKeysOf, targetSelection } from "./target-events.ts";

/** A target event whose outcome a touchpoint of the batch may change. */
export interface Reopened {
  readonly appId: number;
  readonly eventId: string;
}

/** A touchpoint with everything that it can be matched by. */
interface RecentTouchpoint extends Omit<Candidate, "matchedBy"> {
  readonly appId: number;
  readonly ipKey: bigint | null;
  readonly os: string | null;
  readonly osVersion: string | null;
}

interface LateRow extends Reopened {
  readonly candidate: Candidate;
}

interface Probe {
  readonly touchpoint: RecentTouchpoint;
  readonly index: number;
  readonly key: bigint;
}

const probeColumns: Columns<Probe> = {
  app_id: { type: "integer", of: ({ touchpoint }) => touchpoint.appId },
  key: { type: "bigint", of: ({ key }) => key },
  at: { type: "timestamptz", of: ({ touchpoint }) => new Date(touchpoint.at).toISOString() },
  position: { type: "bigint", of: ({ touchpoint }) => touchpoint.position },
  touchpoint: { type: "integer", of: ({ index }) => index },
};

const lateColumns: Columns<LateRow> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  event_id: { type: "uuid", of: ({ eventId }) => eventId },
  touchpoint_id: { type: "uuid", of: ({ candidate }) => candidate.touchpointId },
  position: { type: "bigint", of: ({ candidate }) => candidate.position },
  at: { type: "timestamptz", of: ({ candidate }) => new Date(candidate.at).toISOString() },
  kind: { type: "text", of: ({ candidate }) => candidate.kind },
  matched_by: { type: "text", of: ({ candidate }) => candidate.matchedBy },
};

/**
 * Finds the target events that touchpoints of a batch could have won, had they been recorded earlier
 * (contract/attribution.md#revisions), stores the pairs, and returns the target events. The touchpoints must be stored.
 * For most batches one statement is enough: their touchpoints are later than every target event of their app.
 */
export async function storeLateTouchpoints(
  pipeline: StatementPipeline,
  apps: KnownApps,
  events: readonly RecordedEvent<TouchpointEvent>[],
): Promise<readonly Reopened[]> {
  const human = events.filter(({ data }) => data.verdict.human);
  if (human.length === 0) return [];
  const newest = await newestTargets(pipeline, new Set(human.map(({ data }) => data.appId)));
  const late = human.filter(({ data }) => Date.parse(data.at) <= (newest.get(data.appId) ?? Number.NEGATIVE_INFINITY));
  if (late.length === 0) return [];
  const touchpoints = late.map((event) => recentTouchpoint(event, apps));
  const [targets, rules] = await Promise.all([
    targetsAfter(pipeline, touchpoints),
    allRulesOf(pipeline, new Set(touchpoints.map(({ appId }) => appId))),
  ]);
  const rows = new Map<string, LateRow>();
  for (const { touchpoint: index, ...row } of targets) {
    const touchpoint = touchpoints[index];
    const target = targetFrom(row);
    const candidate = touchpoint === undefined ? null : candidateFor(touchpoint, target, rules);
    const { appId, eventId } = target;
    if (candidate !== null) rows.set(`${appId} ${eventId} ${index}`, { appId, eventId, candidate });
  }
  if (rows.size > 0) await insertLate(pipeline, [...rows.values()]);
  return [...rows.values()];
}

function recentTouchpoint({ type, data, position }: RecordedEvent<TouchpointEvent>, apps: KnownApps): RecentTouchpoint {
  return {
    appId: data.appId,
    touchpointId: data.touchpointId.toLowerCase(),
    kind: type === "ClickRecorded" ? "click" : "impression",
    at: Date.parse(data.at),
    position: position.commit,
    human: data.verdict.human,
    source: data.source,
    deviceKey: data.deviceKey?.toLowerCase() ?? null,
    os: data.os,
    osVersion: data.osVersion,
    ...identifierKeysOf(data.person, saltOf(apps, data.appId)),
  };
}

/** A touchpoint as a candidate for a target event; null when it does not match or cannot win. */
function candidateFor(
  touchpoint: RecentTouchpoint,
  target: OpenTarget,
  rules: readonly StoredRules[],
): Candidate | null {
  const matchedBy = matchTypeOf(touchpoint, target);
  if (matchedBy === null) return null;
  const inForce = rules.find(
    ({ app_id, from_position, to_position }) =>
      app_id === target.appId && from_position <= target.position && target.position < to_position,
  );
  const candidate = { ...touchpoint, matchedBy };
  return ineligibilityOf(candidate, target, inForce?.rules ?? defaultRules) === null ? candidate : null;
}

/** Times of the latest target events, by app. */
async function newestTargets(
  { schema, run }: StatementPipeline,
  appIds: ReadonlySet<number>,
): Promise<ReadonlyMap<number, number>> {
  const rows = await run<{ readonly app_id: number; readonly at: Date | null }>(
    `select app_id, (select max(at) from ${schema}.targets where targets.app_id = requested.app_id) as at
     from unnest(?::integer[]) as requested(app_id)`,
    [`{${[...appIds].join(",")}}`],
  );
  return new Map(rows.flatMap(({ app_id, at }) => (at === null ? [] : [[app_id, at.getTime()]])));
}

/** Target events of the same keys that happened at or after touchpoints, but are before them in the log. */
async function targetsAfter(
  { schema, run }: StatementPipeline,
  touchpoints: readonly RecentTouchpoint[],
): Promise<readonly (TargetRow & { readonly touchpoint: number })[]> {
  const probes = touchpoints.flatMap((touchpoint, index) => {
    const clickId = touchpoint.kind === "click" ? touchpoint.touchpointId : null;
    return targetKeysOf({ ...touchpoint, clickId }).map((key) => ({ touchpoint, index, key }));
  });
  const { text, values } = unnest(probes, probeColumns, "probe");
  return run(
    `select probe.touchpoint, ${targetSelection}
     from ${text}
     cross join lateral (
       select near.event_id
       from ${schema}.target_keys as near
       where near.app_id = probe.app_id and near.key = probe.key
         and near.at between probe.at and probe.at + interval '${maxLookbackSeconds} seconds'
         and near.position < probe.position
       order by near.at
       limit ${maxTargetsOfKey}
     ) as near
     cross join lateral (
       select *
       from ${schema}.targets as target
       where target.app_id = probe.app_id and target.event_id = near.event_id
       limit 1
     ) as target`,
    values,
  );
}

/** Inserts only touchpoints that are stored: another touchpoint of the same id may have been recorded before. */
async function insertLate({ schema, run }: StatementPipeline, rows: readonly LateRow[]): Promise<void> {
  const { text, names, values } = unnest(rows, lateColumns, "late");
  await run(
    `insert into ${schema}.late_touchpoints (${names})
     select ${names}
     from ${text}
     where exists (
       select
       from ${schema}.touchpoints as stored
       where stored.app_id = late.app_id
         and stored.touchpoint_id = late.touchpoint_id
         and stored.position = late.position
     )
     on conflict do nothing`,
    values,
  );
}
