import { assertNever, type Decider, type Rejection, rejectField } from "../decider.ts";
import type { AppRegistered, AppRegistryEvent, AppSettings } from "./events.ts";

/** Registers an app; salt and token ids are drawn by whoever asks. */
export interface RegisterApp {
  readonly settings: AppSettings;
  readonly salt: string;
  readonly tokenIds: AppRegistered["data"]["tokenIds"];
}

export interface AppRegistryState {
  readonly count: number;
  readonly idOf: ReadonlyMap<string, number>;
  /** The salt that each name was registered with: by it a repeated command is known. */
  readonly saltOf: ReadonlyMap<string, string>;
  /** Store ids of iOS apps that belong to an app. */
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
      return {
        count: event.data.appId,
        idOf: new Map(state.idOf).set(event.data.name, event.data.appId),
        saltOf: new Map(state.saltOf).set(event.data.name, event.data.salt),
        iosStoreIds:
          event.data.iosStoreId === null ? state.iosStoreIds : new Set(state.iosStoreIds).add(event.data.iosStoreId),
      };
    default:
      return assertNever(event.type);
  }
}

/**
 * All apps of a log (contract/administration.md#apps): names and iOS store ids unique for ever
 * (contract/conversion-values.md#models), ids 1, 2, 3...
 */
export const appRegistry: Decider<RegisterApp, AppRegistryEvent, AppRegistryState, AppRegistryRejection> = {
  initialState: { count: 0, idOf: new Map(), saltOf: new Map(), iosStoreIds: new Set() },
  decide,
  evolve,
};
