import { assertNever, type Decider, type Rejection, rejectField } from "../decider.ts";
import type { AppRegistered, AppRegistryEvent, AppSettings, ChangeableSettings } from "./events.ts";

/** Registers an app; the caller generates salt and token ids. */
export interface RegisterApp {
  readonly type: "RegisterApp";
  readonly settings: AppSettings;
  readonly salt: string;
  readonly tokenIds: AppRegistered["data"]["tokenIds"];
}

/** Changes settings of an app; absent ones stay (contract/administration.md#apps). */
export interface ChangeAppSettings {
  readonly type: "ChangeAppSettings";
  readonly appId: number;
  readonly changes: Partial<ChangeableSettings>;
}

export type AppRegistryCommand = RegisterApp | ChangeAppSettings;

export interface AppRegistryState {
  readonly count: number;
  readonly idOf: ReadonlyMap<string, number>;
  /** The salt of each registered name: identifies a repeated command. */
  readonly saltOf: ReadonlyMap<string, string>;
  readonly settingsOf: ReadonlyMap<number, ChangeableSettings>;
}

export type AppRegistryRejection = "APP_NAME_TAKEN" | "APP_NOT_FOUND" | "IOS_STORE_ID_TAKEN";

type Decision = readonly AppRegistryEvent[] | Rejection<AppRegistryRejection>;

function decide(command: AppRegistryCommand, state: AppRegistryState): Decision {
  switch (command.type) {
    case "RegisterApp":
      return register(command, state);
    case "ChangeAppSettings":
      return change(command, state);
    default:
      return assertNever(command);
  }
}

function register({ settings, salt, tokenIds }: RegisterApp, state: AppRegistryState): Decision {
  const taken = state.saltOf.get(settings.name);
  if (taken === salt) return [];
  if (taken !== undefined) {
    return rejectField("APP_NAME_TAKEN", ["body", "name"], { name: settings.name });
  }
  const appId = state.count + 1;
  if (isStoreIdTaken(settings, appId, state)) return rejectField("IOS_STORE_ID_TAKEN", ["body", "iosStoreId"]);
  return [{ type: "AppRegistered", data: { ...settings, appId, salt, tokenIds } }];
}

function change({ appId, changes }: ChangeAppSettings, state: AppRegistryState): Decision {
  const current = state.settingsOf.get(appId);
  if (current === undefined) return { rejected: "APP_NOT_FOUND" };
  const settings = changeableSettings({ ...current, ...changes });
  if (isStoreIdTaken(settings, appId, state)) return rejectField("IOS_STORE_ID_TAKEN", ["body", "iosStoreId"]);
  if (areSame(settings, current)) return [];
  return [{ type: "AppSettingsChanged", data: { appId, ...settings } }];
}

function isStoreIdTaken({ iosStoreId }: ChangeableSettings, appId: number, { settingsOf }: AppRegistryState): boolean {
  if (iosStoreId === null) return false;
  return [...settingsOf].some(([otherId, other]) => otherId !== appId && other.iosStoreId === iosStoreId);
}

/** Whether two settings are equal; a list that was never set equals an empty one. */
function areSame(one: ChangeableSettings, other: ChangeableSettings): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]) as ReadonlySet<keyof ChangeableSettings>;
  return [...keys].every((key) => JSON.stringify(one[key] ?? []) === JSON.stringify(other[key] ?? []));
}

function evolve(state: AppRegistryState, event: AppRegistryEvent): AppRegistryState {
  const settingsOf = new Map(state.settingsOf).set(event.data.appId, changeableSettings(event.data));
  switch (event.type) {
    case "AppRegistered": {
      const { appId, name, salt } = event.data;
      return {
        count: appId,
        idOf: new Map(state.idOf).set(name, appId),
        saltOf: new Map(state.saltOf).set(name, salt),
        settingsOf,
      };
    }
    case "AppSettingsChanged":
      return { ...state, settingsOf };
    default:
      return assertNever(event);
  }
}

function changeableSettings(settings: ChangeableSettings): ChangeableSettings {
  return {
    companyName: settings.companyName,
    ownerEmail: settings.ownerEmail,
    iosStoreId: settings.iosStoreId,
    androidPackage: settings.androidPackage,
    iosStoreUrl: settings.iosStoreUrl,
    androidStoreUrl: settings.androidStoreUrl,
    desktopUrl: settings.desktopUrl,
    redirectHosts: settings.redirectHosts,
    ...(settings.allowedOrigins && { allowedOrigins: settings.allowedOrigins }),
    ...(settings.iosAppIds && { iosAppIds: settings.iosAppIds }),
    ...(settings.androidCertificates && { androidCertificates: settings.androidCertificates }),
  };
}

/**
 * All apps of a log (contract/administration.md#apps): names are unique for ever, iOS store ids among what the apps have
 * at a time (contract/conversion-values.md#models); ids are 1, 2, 3...
 */
export const appRegistry: Decider<AppRegistryCommand, AppRegistryEvent, AppRegistryState, AppRegistryRejection> = {
  initialState: { count: 0, idOf: new Map(), saltOf: new Map(), settingsOf: new Map() },
  decide,
  evolve,
};
