import type { LogPosition } from "../../../domain/event.ts";

/** The position of the last event handled; null before the first. */
export type PositionOrStart = LogPosition | null;

/** Negative when `a` is before `b`, 0 at the same position, positive after it. EventStoreDB orders by both parts. */
export function comparePositions(a: PositionOrStart, b: PositionOrStart): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (a.commit !== b.commit) return a.commit < b.commit ? -1 : 1;
  if (a.prepare !== b.prepare) return a.prepare < b.prepare ? -1 : 1;
  return 0;
}

/** A position as text, for messages and tables. */
export function positionText(position: PositionOrStart): string {
  return position === null ? "the start" : String(position.commit);
}
