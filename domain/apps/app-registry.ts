import { assertNever, type Decider, type Rejection, rejectField } from "../decider.ts";
import type { AppRegistered, AppRegistryEvent, AppSettings } from "./events.ts";

/** Registers an app; the caller generates salt and token ids. */
export interface RegisterApp {
  readonly settings: AppSettings;
  readonly salt: string;
  readonly tokenIds: AppRegistered["data"]["tokenIds"];
}

export interface AppRegistryState {
  readonly count: number;
  readonly idOf: ReadonlyMap<string, number>;
  /** The salt of each registered name: identifies a repeated command. */
  readonly saltOf: ReadonlyMap<string, string>;
  /** Store ids in use. */
  readonly iosStoreIds: ReadonlySet<string>;
}

export type AppRegistryRejection = "APP_NAME_TAKEN" | "IOS_STORE_ID_TAKEN";

function decide(
  { settings, salt, tokenIds }: RegisterApp,
  state: AppRegistryState,
): readonly AppRegistryEvent[] | Rejection<AppRegistryRejection> {
  const taken = state.saltOf.get(settings.name);
  if (taken === salt) return [];
  if (taken !== undefined) {
    return rejectField("APP_NAME_TAKEN", ["body", "name"], { name: settings.name });
  }
  const { iosStoreId } = settings;
  if (iosStoreId !== null && state.iosStoreIds.has(iosStoreId)) {
    return rejectField("IOS_STORE_ID_TAKEN", ["body", "iosStoreId"]);
  }
  return [{ type: "AppRegistered", data: { ...settings, appId: state.count + 1, salt, tokenIds } }];
}

function evolve(state: AppRegistryState, event: AppRegistryEvent): AppRegistryState {
  switch (event.type) {
    case "AppRegistered":
      return withApp(state, event.data);
    default:
      return assertNever(event.type);
  }
}

function withApp(state: AppRegistryState, { appId, name, salt, iosStoreId }: AppRegistered["data"]): AppRegistryState {
  return {
    count: appId,
    idOf: new Map(state.idOf).set(name, appId),
    saltOf: new Map(state.saltOf).set(name, salt),
    iosStoreIds: iosStoreId === null ? state.iosStoreIds : new Set(state.iosStoreIds).add(iosStoreId),
  };
}

/**
 * All apps of a log (contract/administration.md#apps): names and iOS store ids are unique for ever
 * (contract/conversion-values.md#models); ids are 1, 2, 3...
 */
export const appRegistry: Decider<RegisterApp, AppRegistryEvent, AppRegistryState, AppRegistryRejection> = {
  initialState: { count: 0, idOf: new Map(), saltOf: new Map(), iosStoreIds: new Set() },
  decide,
  evolve,
};
