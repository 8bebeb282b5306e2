import type { AppEventRecorded } from "../../../domain/app-events/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";

export type RecordedAppEvent = RecordedEvent<AppEventRecorded>;

/** App events by id, the first of each, in log order. */
export function appEventsIn(log: readonly RecordedEvent[]): readonly RecordedAppEvent[] {
  const events = new Map<string, RecordedAppEvent>();
  for (const event of log) {
    if (event.type !== "AppEventRecorded") continue;
    const key = `${event.data.appId} ${event.data.eventId}`;
    if (!events.has(key)) events.set(key, event);
  }
  return [...events.values()];
}

export function isBefore(one: RecordedAppEvent, other: RecordedAppEvent): boolean {
  if (timeOf(one) !== timeOf(other)) return timeOf(one) < timeOf(other);
  return one.position.commit < other.position.commit;
}

export function timeOf({ data }: { readonly data: { readonly at: string } }): number {
  return Date.parse(data.at);
}

/** Whether an event is the first of its category at a position (contract/attribution.md#first-installs), the slow way. */
export function isFirstAt(log: readonly RecordedEvent[], event: RecordedAppEvent, position: bigint) {
  const { appId, category, deviceKey, person } = event.data;
  const earlier = appEventsIn(log).filter(
    (other) =>
      other.position.commit <= position &&
      other.data.appId === appId &&
      other.data.category === category &&
      isBefore(other, event),
  );
  return {
    is_first_of_device: !earlier.some(({ data }) => data.deviceKey === deviceKey),
    is_first_of_user:
      person.externalUserId === undefined
        ? null
        : !earlier.some(({ data }) => data.person.externalUserId === person.externalUserId),
  };
}
