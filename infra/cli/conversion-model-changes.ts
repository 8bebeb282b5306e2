import type { LockWindow } from "../../domain/conversion-values/events.ts";
import type { ShownEvent, ShownMeaning, ShownModel } from "../../domain/conversion-values/meanings.ts";

/** A model with the channels that may read it and their names of events. */
export interface ShownValues extends ShownModel {
  readonly partners: readonly {
    readonly channel: string;
    readonly events: { readonly [eventName: string]: string };
  }[];
}

/** One line of a printed model. */
export interface ModelLine {
  readonly place: string;
  readonly meaning: string;
}

/** A line that differs between two models; null: not in that model. */
export interface ModelChange {
  readonly place: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A model as lines: the framework, every value by postback, lock windows, channels and their names of events. */
export function modelLines({ configType, postbacks, partners }: ShownValues): readonly ModelLine[] {
  return [
    { place: "framework", meaning: configType },
    ...postbacks.flatMap(({ postbackSequenceIndex: index, fine, coarse }) => [
      ...(fine?.schema ?? []).map((value) => valueLine(`postback ${index}, fine ${value.conversionValue}`, value)),
      ...lockWindowLine(index, fine?.lockWindow ?? null),
      ...(coarse?.schema ?? []).map((value) => valueLine(`postback ${index}, coarse ${value.conversionValue}`, value)),
    ]),
    ...partners.flatMap(({ channel, events }) => [
      { place: `channel ${channel}`, meaning: "reads them" },
      ...Object.entries(events).map(([event, name]) => ({ place: `channel ${channel}, ${event}`, meaning: name })),
    ]),
  ];
}

/** The lines that differ between two models, in the order of the later one; removed lines come last. */
export function modelChanges(before: ShownValues, after: ShownValues): readonly ModelChange[] {
  const earlier = new Map(modelLines(before).map(({ place, meaning }) => [place, meaning]));
  const later = new Map(modelLines(after).map(({ place, meaning }) => [place, meaning]));
  return [...new Set([...later.keys(), ...earlier.keys()])]
    .map((place) => ({ place, before: earlier.get(place) ?? null, after: later.get(place) ?? null }))
    .filter((change) => change.before !== change.after);
}

function valueLine(place: string, { events, isOverlapped }: ShownMeaning): ModelLine {
  const meaning = events.length === 0 ? "no event" : events.map(eventText).join("; ");
  return { place, meaning: isOverlapped === true ? `${meaning} (overlapped)` : meaning };
}

/** `app_order_complete, revenue from 10 to under 20`. */
export function eventText({ eventName, measurementType, values }: ShownEvent): string {
  const range = values === null ? "" : ` from ${values.minAmount} to under ${values.maxAmount}`;
  return `${eventName}, ${measurementType}${range}`;
}

function lockWindowLine(index: number, lockWindow: LockWindow | null): readonly ModelLine[] {
  if (lockWindow === null) return [];
  return [{ place: `postback ${index}, lock window`, meaning: `${lockWindow.type} ${lockWindow.value}` }];
}
