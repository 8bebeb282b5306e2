import type { AppEventRecorded } from "../../../domain/app-events/events.ts";
import type { AttributionDecided } from "../../../domain/attribution/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { inForce } from "../../../projections/facts/table.ts";
import type { FactsLog } from "./any-log.ts";

type AppEvent = RecordedEvent<AppEventRecorded>;

export interface ExpectedVersion {
  readonly app_id: number;
  readonly event_id: string;
  readonly from_position: bigint;
  readonly to_position: bigint;
  readonly touchpoint_id: string | null;
  readonly labelled_position: bigint | null;
  readonly is_first_of_device: boolean;
  readonly is_first_of_user: boolean | null;
}

const targets = ["app_install", "app_deeplink_open", "app_deeplink_pageview"];

/**
 * The slow obvious way: asks for every app event at every position of the log what holds for it
 * (contract/attribution.md#target-events, contract/attribution.md#first-installs).
 */
export function expectedVersions(log: FactsLog): readonly ExpectedVersion[] {
  const events = firstOfEachId(log.filter((event): event is AppEvent => event.type === "AppEventRecorded"));
  const decisions = log.filter((event): event is RecordedEvent<AttributionDecided> => {
    return event.type === "AttributionDecided";
  });
  const versions = events.flatMap((event) => {
    const found: ExpectedVersion[] = [];
    for (const { position } of log) {
      if (position.commit < event.position.commit) continue;
      const seen = seenAt(position.commit, event, events, decisions);
      const last = found.at(-1);
      if (last !== undefined && JSON.stringify(textual(last)) === JSON.stringify(textual({ ...last, ...seen })))
        continue;
      if (last !== undefined) found[found.length - 1] = { ...last, to_position: position.commit };
      found.push({
        app_id: event.data.appId,
        event_id: event.data.eventId,
        from_position: position.commit,
        to_position: inForce,
        ...seen,
      });
    }
    return found;
  });
  return versions.sort(
    (one, other) =>
      one.app_id - other.app_id ||
      one.event_id.localeCompare(other.event_id) ||
      Number(one.from_position - other.from_position),
  );
}

function seenAt(
  position: bigint,
  event: AppEvent,
  events: readonly AppEvent[],
  decisions: readonly RecordedEvent<AttributionDecided>[],
) {
  const known = events.filter((other) => other.position.commit <= position && other.data.appId === event.data.appId);
  const attributions = known.flatMap((target) => {
    if (target.data.deviceKey !== event.data.deviceKey) return [];
    const decision = decisions.find(
      ({ data }) => data.eventId === target.data.eventId && data.appId === target.data.appId,
    );
    const winner = decision?.data.winner ?? null;
    if (decision === undefined || winner === null) return [];
    if (targets.includes(event.data.category)) return target === event ? [{ target, winner }] : [];
    const holds = timeOf(event) <= timeOf(target) + decision.data.rules.attributionWindow * 1000;
    return isBefore(target, event) && holds ? [{ target, winner }] : [];
  });
  const [latest] = attributions.sort((one, other) => (isBefore(one.target, other.target) ? 1 : -1));
  const { externalUserId } = event.data.person;
  const isFirstAmong = (others: readonly AppEvent[]) =>
    !others.some((other) => other.data.category === event.data.category && isBefore(other, event));
  return {
    touchpoint_id: latest?.winner.touchpointId ?? null,
    labelled_position: latest?.target.position.commit ?? null,
    is_first_of_device: isFirstAmong(known.filter(({ data }) => data.deviceKey === event.data.deviceKey)),
    is_first_of_user:
      externalUserId === undefined
        ? null
        : isFirstAmong(known.filter(({ data }) => data.person.externalUserId === externalUserId)),
  };
}

function firstOfEachId(events: readonly AppEvent[]): readonly AppEvent[] {
  return events.filter(
    (event) =>
      event === events.find(({ data }) => data.appId === event.data.appId && data.eventId === event.data.eventId),
  );
}

function isBefore(one: AppEvent, other: AppEvent): boolean {
  if (timeOf(one) !== timeOf(other)) return timeOf(one) < timeOf(other);
  return one.position.commit < other.position.commit;
}

function timeOf(event: AppEvent): number {
  return Date.parse(event.data.at);
}

function textual({ from_position: _from, ...version }: ExpectedVersion) {
  return { ...version, to_position: "", labelled_position: String(version.labelled_position) };
}
