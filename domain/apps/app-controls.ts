import type { AttributionRules, LookbackWindows } from "../attribution/events.ts";
import { assertNever, type Decider, type Rejection } from "../decider.ts";
import type { AppStreamEvent } from "./events.ts";

/** Hides an uploaded metric from reports, or shows it again (contract/administration.md#archived-metrics). */
export interface SetUploadedMetricArchived {
  readonly type: "SetUploadedMetricArchived";
  readonly appId: number;
  readonly eventCategory: string;
  readonly archived: boolean;
  /** Whether the app has ever uploaded it. */
  readonly isUploaded: boolean;
}

/** Sets the rules for the app's target events from now on (contract/administration.md#attribution-rules). */
export interface ChangeAttributionRules {
  readonly type: "ChangeAttributionRules";
  readonly appId: number;
  readonly rules: AttributionRules;
  /** In force until rules are set. */
  readonly defaultRules: AttributionRules;
}

/** Switches the app's context calls on or off (contract/administration.md#context-switch). */
export interface SwitchContext {
  readonly type: "SwitchContext";
  readonly appId: number;
  readonly active: boolean;
}

export type AppControlsCommand = SetUploadedMetricArchived | ChangeAttributionRules | SwitchContext;

export interface AppControlsState {
  /** Categories of uploaded metrics. */
  readonly archived: ReadonlySet<string>;
  /** null: never set. */
  readonly rules: AttributionRules | null;
  readonly isContextActive: boolean;
}

export type AppControlsRejection = "UPLOADED_METRIC_NOT_FOUND";

function decide(
  command: AppControlsCommand,
  state: AppControlsState,
): readonly AppStreamEvent[] | Rejection<AppControlsRejection> {
  switch (command.type) {
    case "SetUploadedMetricArchived":
      return setArchived(command, state);
    case "ChangeAttributionRules":
      return changeRules(command, state);
    case "SwitchContext":
      return switchContext(command, state);
    default:
      return assertNever(command);
  }
}

function setArchived(
  { appId, eventCategory, archived, isUploaded }: SetUploadedMetricArchived,
  state: AppControlsState,
): readonly AppStreamEvent[] | Rejection<AppControlsRejection> {
  if (!isUploaded) return { rejected: "UPLOADED_METRIC_NOT_FOUND" };
  if (state.archived.has(eventCategory) === archived) return [];
  return [{ type: archived ? "UploadedMetricArchived" : "UploadedMetricRestored", data: { appId, eventCategory } }];
}

function changeRules(
  { appId, rules, defaultRules }: ChangeAttributionRules,
  state: AppControlsState,
): readonly AppStreamEvent[] {
  if (areSameRules(rules, state.rules ?? defaultRules)) return [];
  return [{ type: "AttributionRulesChanged", data: { appId, rules } }];
}

function switchContext({ appId, active }: SwitchContext, state: AppControlsState): readonly AppStreamEvent[] {
  if (active === state.isContextActive) return [];
  return [{ type: active ? "ContextActivated" : "ContextDeactivated", data: { appId } }];
}

function evolve(state: AppControlsState, event: AppStreamEvent): AppControlsState {
  const { archived } = state;
  switch (event.type) {
    case "UploadedMetricArchived":
      return { ...state, archived: new Set(archived).add(event.data.eventCategory) };
    case "UploadedMetricRestored":
      return { ...state, archived: new Set([...archived].filter((one) => one !== event.data.eventCategory)) };
    case "AttributionRulesChanged":
      return { ...state, rules: event.data.rules };
    case "ContextActivated":
      return { ...state, isContextActive: true };
    case "ContextDeactivated":
      return { ...state, isContextActive: false };
    default:
      return assertNever(event);
  }
}

function areSameRules(one: AttributionRules, other: AttributionRules): boolean {
  const channels = Object.keys(one.channels);
  return (
    one.attributionWindow === other.attributionWindow &&
    areSameWindows(one, other) &&
    channels.length === Object.keys(other.channels).length &&
    channels.every((name) => {
      const mine = one.channels[name];
      const theirs = Object.hasOwn(other.channels, name) ? other.channels[name] : undefined;
      return mine !== undefined && theirs !== undefined && areSameWindows(mine, theirs);
    })
  );
}

function areSameWindows(one: LookbackWindows, other: LookbackWindows): boolean {
  return (["click", "impression"] as const).every(
    (kind) => one[kind].device === other[kind].device && one[kind].probabilistic === other[kind].probabilistic,
  );
}

/**
 * What the owner switches for one app: archived metrics, attribution rules, context prediction. Its settings are in the
 * registry.
 */
export const appControls: Decider<AppControlsCommand, AppStreamEvent, AppControlsState, AppControlsRejection> = {
  initialState: { archived: new Set(), rules: null, isContextActive: true },
  decide,
  evolve,
};
