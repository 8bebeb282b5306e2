import { decideAttribution, strongestMatches } from "../../../domain/attribution/decide-attribution.ts";
import { ineligibilityOf } from "../../../domain/attribution/eligibility.ts";
import type { AssessedCandidate, AttributionEvent } from "../../../domain/attribution/events.ts";
import { outranks } from "../../../domain/attribution/ranking.ts";
import { candidatesOf } from "../../facts/attribution/candidates.ts";
import { type TargetRow, targetFrom, targetSelection } from "../../facts/attribution/target-events.ts";
import type { StoredDecision } from "../../facts/queries.ts";
import { inForce } from "../../in-force.ts";
import type { ReadModel } from "../../projection.ts";

interface ArrivedLater {
  readonly candidates: readonly (AssessedCandidate & { readonly arrivedLater: true })[];
  readonly otherCandidates: AttributionEvent["data"]["otherCandidates"];
}

/**
 * The touchpoints that match a target event and were recorded after the decision in force took effect, with their
 * verdicts against its winner (contract/attribution.md#revisions). Those that beat the winner are left out while a
 * revision is due, and counted as not ranked if none is, as after the last possible one.
 */
export async function arrivedLater(
  readModel: ReadModel,
  appId: number,
  { decision, position }: StoredDecision,
): Promise<ArrivedLater> {
  const { db, schema } = readModel;
  const { rows }: { rows: readonly (TargetRow & { readonly isRevisionDue: boolean })[] } = await db.raw(
    `select ${targetSelection},
            exists (
              select
              from ${schema}.late_touchpoints as late
              where late.app_id = target.app_id and late.event_id = target.event_id and late.is_open
            ) as "isRevisionDue"
     from ${schema}.targets as target
     where target.app_id = ? and target.event_id = ?`,
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
  const toBeat = decision.winner && { ...decision.winner, at: Date.parse(decision.winner.at) };
  const beating = new Set(
    [...strongestMatches(late)]
      .filter((one) => ineligibilityOf(one, target, decision.rules) === null && outranks(one, toBeat))
      .map(({ touchpointId }) => touchpointId),
  );
  const others = late.filter(({ touchpointId }) => !beating.has(touchpointId));
  const candidates = { listed: [...winner, ...others], unlisted: row.isRevisionDue ? 0 : beating.size };
  const judged = decideAttribution(target, candidates, decision.rules).data;
  const losers = judged.candidates
    .filter(({ touchpointId, verdict }) => verdict !== "won" && touchpointId.toLowerCase() !== winnerId)
    .map((candidate) => ({ ...candidate, arrivedLater: true as const }));
  return { candidates: losers, otherCandidates: judged.otherCandidates };
}
