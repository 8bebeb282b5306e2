import type { AttributionRulesChanged } from "../../../../domain/apps/events.ts";
import type { Candidate } from "../../../../domain/attribution/candidates.ts";
import { decideAttribution } from "../../../../domain/attribution/decide-attribution.ts";
import { defaultRules } from "../../../../domain/attribution/default-rules.ts";
import type { AttributionDecided, AttributionRules, MatchType } from "../../../../domain/attribution/events.ts";
import { isTargetCategory, type TargetEvent } from "../../../../domain/attribution/target-event.ts";
import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import type { TouchpointEvent } from "../../../../domain/touchpoints/events.ts";
import { appEventsIn, isBefore, type RecordedAppEvent, timeOf } from "../reference.ts";
import type { History } from "./late-history.ts";

type Touchpoint = RecordedEvent<TouchpointEvent>;

/** The winner of an app event at a position, decided from scratch with all events up to there: the slow way. */
export function winnerAt(history: History, event: RecordedAppEvent, position: bigint): string | null {
  const known = history.filter((one) => one.position.commit <= position);
  if (isTargetCategory(event.data.category)) return decidedAt(known, event).winner?.touchpointId ?? null;
  const before = appEventsIn(known)
    .filter(({ data }) => isTargetCategory(data.category) && data.deviceKey === event.data.deviceKey)
    .filter((target) => isBefore(target, event))
    .sort((one, other) => (isBefore(one, other) ? 1 : -1));
  for (const target of before) {
    const { winner, rules } = decidedAt(known, target);
    const holds = timeOf(event) <= timeOf(target) + rules.attributionWindow * 1000;
    if (winner !== null && holds) return winner.touchpointId;
  }
  return null;
}

function decidedAt(known: History, event: RecordedAppEvent): AttributionDecided["data"] {
  const { target, candidates, rules } = attributionOf(known, event);
  return decideAttribution(target, candidates, rules).data;
}

/** The input of the decision on a target event. */
export function attributionOf(known: History, target: RecordedAppEvent) {
  const { data, position } = target;
  if (!isTargetCategory(data.category)) throw new Error(`${data.category} is not attributed`);
  const listed = touchpointsIn(known)
    .filter((touchpoint) => timeOf(touchpoint) <= timeOf(target))
    .flatMap((touchpoint) => clickTargets(touchpoint, target).map((way) => candidateOf(touchpoint, way)));
  const described: TargetEvent = {
    appId: data.appId,
    eventId: data.eventId,
    category: data.category,
    at: timeOf(target),
    position: position.commit,
    deviceKey: data.deviceKey,
    gaidKey: keyOf(data.person.gaid),
    idfaKey: null,
    idfvKey: null,
  };
  return { target: described, candidates: { listed, unlisted: 0 }, rules: rulesAt(known, position.commit) };
}

function clickTargets({ type, data: touchpoint }: Touchpoint, { data: event }: RecordedAppEvent): readonly MatchType[] {
  const ways: MatchType[] = [];
  if (type === "ClickRecorded" && touchpoint.touchpointId === event.clickId) ways.push("click_id");
  const hasGaid = touchpoint.person.gaid !== undefined && touchpoint.person.gaid === event.person.gaid;
  if (hasGaid || touchpoint.deviceKey === event.deviceKey) ways.push("device_id");
  const [version, other = null] = [touchpoint.osVersion, event.device.osVersion];
  const isSameSystem = version === null || other === null || version === other;
  if (touchpoint.person.ip === event.person.ip && isSameSystem) ways.push("probabilistic");
  return ways;
}

function candidateOf({ type, data, position }: Touchpoint, matchedBy: MatchType): Candidate {
  return {
    touchpointId: data.touchpointId,
    kind: type === "ClickRecorded" ? "click" : "impression",
    at: Date.parse(data.at),
    position: position.commit,
    matchedBy,
    human: data.verdict.human,
    source: data.source,
    deviceKey: data.deviceKey,
    gaidKey: keyOf(data.person.gaid),
    idfaKey: null,
    idfvKey: null,
  };
}

function rulesAt(known: History, position: bigint): AttributionRules {
  const set = known.findLast(
    (one): one is RecordedEvent<AttributionRulesChanged> =>
      one.type === "AttributionRulesChanged" && one.position.commit <= position,
  );
  return set?.data.rules ?? defaultRules;
}

function keyOf(id: string | undefined): bigint | null {
  return id === undefined ? null : BigInt(`0x${id.replaceAll("-", "")}`);
}

function touchpointsIn(known: History): readonly Touchpoint[] {
  const touchpoints = known.filter(
    (one): one is Touchpoint => one.type === "ClickRecorded" || one.type === "ImpressionRecorded",
  );
  return touchpoints.filter(
    (one) => one === touchpoints.find(({ data }) => data.touchpointId === one.data.touchpointId),
  );
}
