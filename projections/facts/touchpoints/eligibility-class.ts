import type { TouchpointKind } from "../../../domain/touchpoints/events.ts";
import type { Reengagement } from "../../../domain/tracking-links/events.ts";

const humanClasses = [
  "click OFF",
  "click ON-TRUE",
  "click ON-FALSE",
  "impression OFF",
  "impression ON-TRUE",
  "impression ON-FALSE",
] as const satisfies readonly `${TouchpointKind} ${Reengagement}`[];
const botClasses = ["click", "impression"] as const satisfies readonly TouchpointKind[];

/** All classes that {@link eligibilityClass} gives. */
export const eligibilityClasses: readonly number[] = [...humanClasses, ...botClasses].map((_, index) => index);

/**
 * Touchpoints that the same facts keep from winning are of one class: a flood of bots' clicks, or of clicks on
 * re-engagement links, must not crowd out a click that can win when only the newest of each class are looked at.
 */
export function eligibilityClass(kind: TouchpointKind, human: boolean, isReengagement: Reengagement): number {
  return human ? humanClasses.indexOf(`${kind} ${isReengagement}`) : humanClasses.length + botClasses.indexOf(kind);
}
