import type { Candidate, Candidates } from "../../../domain/attribution/candidate.ts";
import type { MatchType } from "../../../domain/attribution/events.ts";
import type { TouchpointKind } from "../../../domain/touchpoints/events.ts";
import type { ReadModel } from "../../projection.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { matchesOf } from "./matching-touchpoints.ts";
import { sourcesOf } from "./stored-sources.ts";
import type { OpenTarget } from "./stored-targets.ts";

/** So many touchpoints of each way of matching and class are judged one by one; of the others it is known how many. */
const mostListed = 1_000;
/** Where even counting ends, per way and class. */
const mostCounted = 20_000;

const columns: Columns<OpenTarget> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  at: { type: "timestamptz", of: ({ at }) => new Date(at).toISOString() },
  position: { type: "bigint", of: ({ position }) => position },
  click_id: { type: "uuid", of: ({ clickId }) => clickId },
  device_key: { type: "uuid", of: ({ deviceKey }) => deviceKey },
  gaid_key: { type: "bigint", of: ({ gaidKey }) => gaidKey },
  idfa_key: { type: "bigint", of: ({ idfaKey }) => idfaKey },
  idfv_key: { type: "bigint", of: ({ idfvKey }) => idfvKey },
  ip_key: { type: "bigint", of: ({ ipKey }) => ipKey },
  os: { type: "text", of: ({ os }) => os },
  os_version: { type: "text", of: ({ osVersion }) => osVersion },
};

interface MatchRow {
  readonly n: number;
  readonly way: string;
  readonly matched_by: MatchType;
  readonly is_conflicting: boolean;
  readonly touchpoint_id: string;
  readonly position: bigint | string;
  readonly kind: TouchpointKind;
  readonly human: boolean;
  readonly at: Date;
  readonly source_key: bigint | string;
  readonly device_key: string | null;
  readonly gaid_key: bigint | null;
  readonly idfa_key: bigint | null;
  readonly idfv_key: bigint | null;
  readonly match_class: number;
}

/**
 * The touchpoints that match each of some target events (contract/attribution.md#candidates), in the order of
 * `targets`; a touchpoint is there once per way in which it matches. Of a flood, the newest of each kind that could
 * make a difference are listed and the others counted.
 */
export async function candidatesOf(
  readModel: ReadModel,
  targets: readonly OpenTarget[],
): Promise<readonly Candidates[]> {
  if (targets.length === 0) return [];
  const { text, values } = unnest(targets, columns, "target", { ordinality: true });
  const { rows }: { rows: readonly MatchRow[] } = await readModel.db.raw(
    `with target as materialized (select * from ${text}) ${matchesOf(readModel.schema, mostListed)}`,
    [...values],
  );
  const sources = await sourcesOf(
    readModel,
    rows.map(({ n, source_key }) => ({ appId: targets[n - 1]?.appId ?? 0, key: source_key })),
  );
  const listed = targets.map((): Candidate[] => []);
  const floods = new Map<string, number>();
  for (const row of rows) {
    const { n, source_key, matched_by, touchpoint_id, kind, human, at, position } = row;
    const source = sources.get(`${targets[n - 1]?.appId} ${source_key}`);
    if (source === undefined) throw new Error(`Source ${source_key} of touchpoint ${touchpoint_id} is not stored`);
    listed[n - 1]?.push({
      touchpointId: touchpoint_id,
      kind,
      at: at.getTime(),
      position: BigInt(position),
      matchedBy: matched_by,
      human,
      source,
      deviceKey: row.device_key,
      gaidKey: row.gaid_key,
      idfaKey: row.idfa_key,
      idfvKey: row.idfv_key,
    });
    const group = `${n} ${row.way} ${row.match_class} ${row.is_conflicting}`;
    floods.set(group, (floods.get(group) ?? 0) + 1);
  }
  const flooded = new Set(
    [...floods].filter(([, count]) => count >= mostListed).map(([group]) => Number.parseInt(group, 10)),
  );
  const counts = await countsOf(
    readModel,
    targets.filter((_, index) => flooded.has(index + 1)),
  );
  return targets.map((target, index) => {
    const candidates = listed[index] ?? [];
    const all = counts.get(target);
    return { listed: candidates, unlisted: all === undefined ? 0 : all - distinct(candidates) };
  });
}

/** How many touchpoints match each target event, at least where there are more than are counted. */
async function countsOf(
  { db, schema }: ReadModel,
  targets: readonly OpenTarget[],
): Promise<ReadonlyMap<OpenTarget, number>> {
  const counts = new Map<OpenTarget, number>();
  for (const target of targets) {
    const { text, values } = unnest([target], columns, "target", { ordinality: true });
    const { rows }: { rows: readonly { readonly count: bigint | string }[] } = await db.raw(
      `with target as materialized (select * from ${text})
       select count(distinct touchpoint_id) as count from (${matchesOf(schema, mostCounted)}) as matched`,
      [...values],
    );
    counts.set(target, Number(rows[0]?.count ?? 0));
  }
  return counts;
}

function distinct(candidates: readonly Candidate[]): number {
  return new Set(candidates.map(({ touchpointId }) => touchpointId)).size;
}
