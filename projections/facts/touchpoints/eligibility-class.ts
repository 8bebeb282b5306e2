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

/** All values of {@link eligibilityClass}. */
export const eligibilityClasses: readonly number[] = [...humanClasses, ...botClasses].map((_, index) => index);

/**
 * Touchpoints that are ineligible for the same reasons are of one class. Only the newest of each class are read, so that
 * a flood of bot clicks, or of clicks on re-engagement links, does not crowd out a click that can win.
 */
export function eligibilityClass(kind: TouchpointKind, human: boolean, isReengagement: Reengagement): number {
  return human ? humanClasses.indexOf(`${kind} ${isReengagement}`) : humanClasses.length + botClasses.indexOf(kind);
}
