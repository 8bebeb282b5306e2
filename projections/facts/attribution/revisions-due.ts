import type { MatchType } from "../../../domain/attribution/events.ts";
import { type LateTouchpoint, type Outcome, revisionsDue } from "../../../domain/attribution/late-touchpoints.ts";
import type { TouchpointKind } from "../../../domain/touchpoints/events.ts";
import { eventKey } from "../app-events/app-events.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import type { Reopened } from "./late-touchpoints.ts";

const columns: Columns<Reopened> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  event_id: { type: "uuid", of: ({ eventId }) => eventId },
};

interface LateRow {
  readonly app_id: number;
  readonly event_id: string;
  readonly touchpoint_id: string;
  readonly position: bigint | string;
  readonly at: Date;
  readonly kind: TouchpointKind;
  readonly matched_by: MatchType;
  readonly is_open: boolean;
}

interface OutcomeRow {
  readonly app_id: number;
  readonly event_id: string;
  readonly from_position: bigint | string;
  readonly touchpoint_kind: TouchpointKind | null;
  readonly matched_by: MatchType;
  readonly won_at: string;
}

interface Turned extends Reopened, LateTouchpoint {
  readonly isOpen: boolean;
}

const turnedColumns: Columns<Turned> = {
  ...columns,
  touchpoint_id: { type: "uuid", of: ({ touchpointId }) => touchpointId },
  is_open: { type: "boolean", of: ({ isOpen }) => isOpen },
};

/**
 * Says anew of which late touchpoints of some target events a revision is due (contract/attribution.md#revisions). It
 * depends on what is stored alone, not on what came first: the touchpoint, the decision or a revision.
 */
export async function reopen(pipeline: StatementPipeline, targets: readonly Reopened[]): Promise<void> {
  if (targets.length === 0) return;
  const asked = [...new Map(targets.map((target) => [eventKey(target.appId, target.eventId), target])).values()];
  const late = byEvent(await lateTouchpointsOf(pipeline, asked));
  if (late.size === 0) return;
  const outcomes = byEvent(
    await outcomesOf(
      pipeline,
      asked.filter(({ appId, eventId }) => late.has(eventKey(appId, eventId))),
    ),
  );
  const turned: Turned[] = [];
  for (const [key, rows] of late) {
    const known = rows.map(lateFrom);
    const due = new Set(revisionsDue((outcomes.get(key) ?? []).map(outcomeFrom), known));
    for (const one of known) if (due.has(one) !== one.isOpen) turned.push({ ...one, isOpen: due.has(one) });
  }
  if (turned.length > 0) await turn(pipeline, turned);
}

function lateTouchpointsOf(
  { schema, run }: StatementPipeline,
  asked: readonly Reopened[],
): Promise<readonly LateRow[]> {
  const { text, values } = unnest(asked, columns, "asked");
  return run<LateRow>(
    // The offset keeps it to one look into the index per target event.
    `select late.*
     from ${text}
     cross join lateral (
       select *
       from ${schema}.late_touchpoints as stored
       where stored.app_id = asked.app_id and stored.event_id = asked.event_id
       offset 0
     ) as late`,
    values,
  );
}

function outcomesOf({ schema, run }: StatementPipeline, asked: readonly Reopened[]): Promise<readonly OutcomeRow[]> {
  const { text, values } = unnest(asked, columns, "asked");
  return run<OutcomeRow>(
    `select app_id, event_id, from_position, touchpoint_kind, matched_by, decision -> 'winner' ->> 'at' as won_at
     from ${text}
     join ${schema}.decisions using (app_id, event_id)`,
    values,
  );
}

async function turn({ schema, run }: StatementPipeline, turned: readonly Turned[]): Promise<void> {
  const { text, values } = unnest(turned, turnedColumns, "turned");
  await run(
    `update ${schema}.late_touchpoints as stored
     set is_open = turned.is_open
     from ${text}
     where stored.app_id = turned.app_id
       and stored.event_id = turned.event_id
       and stored.touchpoint_id = turned.touchpoint_id`,
    values,
  );
}

function lateFrom(row: LateRow): Turned {
  return {
    appId: row.app_id,
    eventId: row.event_id,
    touchpointId: row.touchpoint_id,
    position: BigInt(row.position),
    at: row.at.getTime(),
    kind: row.kind,
    matchedBy: row.matched_by,
    isOpen: row.is_open,
  };
}

function outcomeFrom(row: OutcomeRow): Outcome {
  return {
    from: BigInt(row.from_position),
    winner:
      row.touchpoint_kind === null
        ? null
        : { kind: row.touchpoint_kind, matchedBy: row.matched_by, at: Date.parse(row.won_at) },
  };
}

function byEvent<Row extends { readonly app_id: number; readonly event_id: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const key = eventKey(row.app_id, row.event_id);
    const known = found.get(key);
    if (known === undefined) found.set(key, [row]);
    else known.push(row);
  }
  return found;
}
