import { unknownKey } from "../did-you-mean.ts";
import { type Fault, fault } from "../fault.ts";
import { anyEvent, appEventKeys, selectionOf } from "./catalogue/event-keys.ts";
import type { EventSelection } from "./catalogue/metric.ts";
import { type Granularity, isElapsed } from "./granularity.ts";

/**
 * The category of app events of each start event of a retention report (contract/reports.md#retention,
 * contract/reports.md#event-categories).
 */
export const startCategories = {
  app_installs: "app_install",
  app_deeplink_opens: "app_deeplink_open",
  app_deeplink_pageviews: "app_deeplink_pageview",
} as const;

/** The return events of cohorts with a name of their own (contract/reports.md#return-events). */
export const returnEventKeys: readonly string[] = [anyEvent, ...appEventKeys];

/** The app events of a return event (contract/reports.md#return-events); null: there is no such return event. */
function selectionOfReturnEvent(event: string): EventSelection | null {
  return event === anyEvent ? {} : selectionOf(event);
}

/** Whether there is such a return event. */
export function isReturnEvent(event: string): boolean {
  return selectionOfReturnEvent(event) !== null;
}

/** Faults of unknown return events. */
export function validateReturnEvents(returnEvents: readonly string[]): readonly Fault[] {
  return returnEvents.flatMap((event, index) =>
    isReturnEvent(event)
      ? []
      : [unknownKey("not_allowed.return_event", ["returnEvents", index], event, returnEventKeys)],
  );
}

/** The app events of each return event of a validated query. */
function selectionOfEach(returnEvents: readonly string[]): readonly EventSelection[] {
  return returnEvents.map((event) => {
    const selection = selectionOfReturnEvent(event);
    if (selection === null) throw new Error(`A recorded report counts ${event}, which is no return event`);
    return selection;
  });
}

/**
 * The app events of several return events, as few selections: one of all events, or one of categories, which an index
 * finds at once, and one of first orders.
 */
export function fewestReturnSelections(returnEvents: readonly string[]): readonly EventSelection[] {
  const selections = selectionOfEach(returnEvents);
  if (selections.some(isAnyEvent)) return [{}];
  const whole = selections.filter(({ first }) => first === undefined);
  return [...(whole.length === 0 ? [] : [unionOf(whole)]), ...selections.filter(({ first }) => first !== undefined)];
}

/** One selection that has all app events of several return events. A single return event keeps its condition on first events. */
export function combinedReturnSelection(returnEvents: readonly string[]): EventSelection {
  const selections = selectionOfEach(returnEvents);
  const [only, ...others] = selections;
  return only !== undefined && others.length === 0 ? only : unionOf(selections);
}

function unionOf(selections: readonly EventSelection[]): EventSelection {
  if (selections.some(isAnyEvent)) return {};
  return { categories: [...new Set(selections.flatMap(({ categories = [] }) => categories))] };
}

function isAnyEvent({ categories }: EventSelection): boolean {
  return categories === undefined;
}

/** Hours and minutes can only be counted from installs (contract/reports.md#intervals). */
export function validateStartGranularity(granularity: Granularity, areInstalls: boolean): readonly Fault[] {
  if (!isElapsed(granularity) || areInstalls) return [];
  return [fault("not_allowed.fine_granularity", ["granularity"])];
}
