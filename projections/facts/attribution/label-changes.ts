import type { Moment } from "../../../domain/attribution/event-order.ts";
import { type Change, isReachedBy } from "../../../domain/attribution/label-versions.ts";
import { eventKey } from "../app-events/app-events.ts";
import type { Preceded } from "../app-events/first-events.ts";
import type { DeviceAttribution } from "./decisions.ts";

interface AppEvent extends Moment {
  readonly appId: number;
  readonly eventId: string;
  readonly category: string;
  readonly deviceKey: string;
}

/** What a batch's decisions and earlier firsts change about an app event. */
export function labelChangesBy(
  attributions: readonly DeviceAttribution[],
  preceded: readonly Preceded[],
): (event: AppEvent) => readonly Change[] {
  const byDevice = new Map<string, DeviceAttribution[]>();
  for (const attribution of attributions) {
    const key = eventKey(attribution.appId, attribution.deviceKey);
    byDevice.set(key, [...(byDevice.get(key) ?? []), attribution]);
  }
  const byEvent = new Map<string, Preceded[]>();
  for (const one of preceded) {
    const key = eventKey(one.appId, one.eventId);
    byEvent.set(key, [...(byEvent.get(key) ?? []), one]);
  }
  const labelsOf = (event: AppEvent): readonly Change[] =>
    (byDevice.get(eventKey(event.appId, event.deviceKey)) ?? nothing)
      .filter((attribution) => isReachedBy(event, attribution))
      .map(({ label }) => ({ kind: "labelled", label }));
  const precedencesOf = (event: AppEvent): readonly Change[] =>
    (byEvent.get(eventKey(event.appId, event.eventId)) ?? nothing).map(({ of, from }) => ({
      kind: "preceded",
      of,
      from,
    }));
  return (event) => [
    ...(byDevice.size === 0 ? nothing : labelsOf(event)),
    ...(byEvent.size === 0 ? nothing : precedencesOf(event)),
  ];
}

const nothing: readonly never[] = [];
