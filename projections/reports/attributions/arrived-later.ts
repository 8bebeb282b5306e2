import { decideAttribution } from "../../../domain/attribution/decide-attribution.ts";
import type { AssessedCandidate, AttributionEvent } from "../../../domain/attribution/events.ts";
import { candidatesOf } from "../../facts/attribution/candidates.ts";
import { type TargetRow, targetFrom, targetSelection } from "../../facts/attribution/targets.ts";
import type { StoredDecision } from "../../facts/queries.ts";
import { inForce } from "../../in-force.ts";
import type { ReadModel } from "../../projection.ts";

interface ArrivedLater {
  readonly candidates: readonly (AssessedCandidate & { readonly arrivedLater: true })[];
  readonly otherCandidates: AttributionEvent["data"]["otherCandidates"];
}

/**
 * The touchpoints that match a target event and were recorded after the decision in force took effect, with their
 * verdicts against its winner (contract/attribution.md#revisions). One that beats the winner is left out, as a revision
 * is due.
 */
export async function arrivedLater(
  readModel: ReadModel,
  appId: number,
  { decision, position }: StoredDecision,
): Promise<ArrivedLater> {
  const { rows }: { rows: readonly TargetRow[] } = await readModel.db.raw(
    `select ${targetSelection} from ${readModel.schema}.targets as target where target.app_id = ? and target.event_id = ?`,
    [appId, decision.eventId],
  );
  const [row] = rows;
  if (row === undefined) return { candidates: [], otherCandidates: {} };
  const target = { ...targetFrom(row), position: inForce - 1n };
  const [matched] = await candidatesOf(readModel, [target]);
  const late = (matched?.listed ?? []).filter((candidate) => candidate.position > position);
  if (late.length === 0) return { candidates: [], otherCandidates: {} };
  const winnerId = decision.winner?.touchpointId.toLowerCase();
  const winner = (matched?.listed ?? []).filter(({ touchpointId }) => touchpointId.toLowerCase() === winnerId);
  const judged = decideAttribution(target, { listed: [...winner, ...late], unlisted: 0 }, decision.rules).data;
  const candidates = judged.candidates
    .filter(({ touchpointId, verdict }) => verdict !== "won" && touchpointId.toLowerCase() !== winnerId)
    .map((candidate) => ({ ...candidate, arrivedLater: true as const }));
  return { candidates, otherCandidates: judged.otherCandidates };
}
