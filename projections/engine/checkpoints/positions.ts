import type { LogPosition } from "../../../domain/event.ts";

/** How far somebody has come in the log: the last event handled; null before the first. */
export type Place = LogPosition | null;

/** Negative when `a` stands before `b`, zero at the same place, positive after it. EventStoreDB orders by both halves. */
export function comparePlaces(a: Place, b: Place): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (a.commit !== b.commit) return a.commit < b.commit ? -1 : 1;
  if (a.prepare !== b.prepare) return a.prepare < b.prepare ? -1 : 1;
  return 0;
}

/** A place as people read it in messages and tables. */
export function describePlace(place: Place): string {
  return place === null ? "the start" : String(place.commit);
}
