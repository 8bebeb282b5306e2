import { assertNever, type Decider, type Rejection } from "../decider.ts";
import type { BundleRegistered, ModelBundleEvent } from "./events.ts";

/** Registers a validated bundle (contract/prediction.md#bundles). */
export interface RegisterBundle {
  readonly type: "RegisterBundle";
  readonly data: BundleRegistered["data"];
}

/**
 * Makes a bundle serve one app, or (null) every app without a bundle of its own
 * (contract/administration.md#model-bundles).
 */
export interface ActivateBundle {
  readonly type: "ActivateBundle";
  readonly bundleId: string;
  readonly appId: number | null;
}

/** Prevents further activation of a bundle. */
export interface RetireBundle {
  readonly type: "RetireBundle";
  readonly bundleId: string;
}

export type ModelBundleCommand = RegisterBundle | ActivateBundle | RetireBundle;

/** A bundle can be activated until it is retired. */
export interface KnownBundle {
  readonly stage: "registered" | "retired";
  readonly data: BundleRegistered["data"];
}

export interface ModelBundlesState {
  /** By id, in the order of registration. */
  readonly bundles: ReadonlyMap<string, KnownBundle>;
  /** Id of the bundle of apps without one of their own; null: none. */
  readonly activeDefault: string | null;
  /** Ids of bundles, by app id. */
  readonly activeByApp: ReadonlyMap<number, string>;
}

export type ModelBundlesRejection = "BUNDLE_ID_TAKEN" | "BUNDLE_NOT_FOUND" | "BUNDLE_RETIRED" | "BUNDLE_ACTIVE";

type Decision = readonly ModelBundleEvent[] | Rejection<ModelBundlesRejection>;

function decide(command: ModelBundleCommand, state: ModelBundlesState): Decision {
  switch (command.type) {
    case "RegisterBundle":
      return register(command, state);
    case "ActivateBundle":
      return activate(command, state);
    case "RetireBundle":
      return retire(command, state);
    default:
      return assertNever(command);
  }
}

function register({ data }: RegisterBundle, { bundles }: ModelBundlesState): Decision {
  const known = bundles.get(data.bundleId);
  if (known === undefined) return [{ type: "BundleRegistered", data }];
  return known.data.contentHash === data.contentHash ? [] : { rejected: "BUNDLE_ID_TAKEN" };
}

function activate({ bundleId, appId }: ActivateBundle, state: ModelBundlesState): Decision {
  const known = state.bundles.get(bundleId);
  if (known === undefined) return { rejected: "BUNDLE_NOT_FOUND" };
  if (known.stage === "retired") return { rejected: "BUNDLE_RETIRED" };
  const active = appId === null ? state.activeDefault : state.activeByApp.get(appId);
  return active === bundleId ? [] : [{ type: "BundleActivated", data: { bundleId, appId } }];
}

function retire({ bundleId }: RetireBundle, state: ModelBundlesState): Decision {
  const known = state.bundles.get(bundleId);
  if (known === undefined) return { rejected: "BUNDLE_NOT_FOUND" };
  if (known.stage === "retired") return [];
  const { isDefault, appIds } = activationsOf(state, bundleId);
  return isDefault || appIds.length > 0
    ? { rejected: "BUNDLE_ACTIVE" }
    : [{ type: "BundleRetired", data: { bundleId } }];
}

function evolve(state: ModelBundlesState, event: ModelBundleEvent): ModelBundlesState {
  switch (event.type) {
    case "BundleRegistered":
      return withBundle(state, { stage: "registered", data: event.data });
    case "BundleActivated": {
      const { bundleId, appId } = event.data;
      if (appId === null) return { ...state, activeDefault: bundleId };
      return { ...state, activeByApp: new Map(state.activeByApp).set(appId, bundleId) };
    }
    case "BundleRetired": {
      const known = state.bundles.get(event.data.bundleId);
      return known === undefined ? state : withBundle(state, { ...known, stage: "retired" });
    }
    default:
      return assertNever(event);
  }
}

function withBundle(state: ModelBundlesState, bundle: KnownBundle): ModelBundlesState {
  return { ...state, bundles: new Map(state.bundles).set(bundle.data.bundleId, bundle) };
}

/**
 * The active bundles by app id (contract/administration.md#model-bundles); under null that of all apps without one of
 * their own.
 */
export function activeBundles(state: ModelBundlesState): ReadonlyMap<number | null, BundleRegistered["data"]> {
  const targets: readonly (readonly [number | null, string | null])[] = [
    [null, state.activeDefault],
    ...state.activeByApp,
  ];
  return new Map(
    targets.flatMap(([target, bundleId]) => {
      const bundle = bundleId === null ? undefined : state.bundles.get(bundleId);
      return bundle === undefined ? [] : [[target, bundle.data] as const];
    }),
  );
}

/** Where a bundle is active; app ids ascend. */
export interface Activations {
  readonly isDefault: boolean;
  readonly appIds: readonly number[];
}

export function activationsOf(state: ModelBundlesState, bundleId: string): Activations {
  const appIds = [...state.activeByApp].filter(([, active]) => active === bundleId).map(([appId]) => appId);
  return { isDefault: state.activeDefault === bundleId, appIds: appIds.sort((one, other) => one - other) };
}

/**
 * All model bundles of a log and their activations (contract/administration.md#model-bundles,
 * contract/prediction.md#bundles; docs/decisions/019).
 */
export const modelBundles: Decider<ModelBundleCommand, ModelBundleEvent, ModelBundlesState, ModelBundlesRejection> = {
  initialState: { bundles: new Map(), activeDefault: null, activeByApp: new Map() },
  decide,
  evolve,
};
