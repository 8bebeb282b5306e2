import { setImmediate as nextTurn } from "node:timers/promises";
import { type Candidate, type Candidates, maxListedCandidates } from "../../../domain/attribution/candidates.ts";
import type { MatchType } from "../../../domain/attribution/events.ts";
import type { TouchpointKind } from "../../../domain/touchpoints/events.ts";
import type { ReadModel } from "../../projection.ts";
import { sourcesOf } from "../dimensions/dimensions.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { identifierColumns } from "../touchpoints/identifier-keys.ts";
import { selectMatches } from "./matches-sql.ts";
import type { OpenTarget } from "./target-events.ts";

/**
 * {@link maxListedCandidates} while many target events are read at once; one with more is read again, alone, as a flood
 * fills memory.
 */
const maxOfMany = 50;
/** Maximum number of touchpoints counted for each identifier and class. */
const maxCounted = 20_000;

/** Rows that are handled in one turn of the event loop: about 20 ms, which requests wait for. */
const rowsOfTurn = 5_000;

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
 * each eligibility class are listed and the others counted. A flood is read when the iteration reaches its target event.
 */
export async function* eachCandidates(
  readModel: ReadModel,
  targets: readonly OpenTarget[],
): AsyncGenerator<Candidates> {
  if (targets.length === 0) return;
  const isOne = targets.length === 1;
  const matches = await matchesOf(readModel, targets, isOne ? maxListedCandidates : maxOfMany);
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
  for (const [index, row] of rows.entries()) {
    if (index % rowsOfTurn === rowsOfTurn - 1) await nextTurn();
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
