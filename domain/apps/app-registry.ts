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

/** The events so far, as a list that each state shares with the one before: a copy of a map is slow with many apps. */
export interface AppRegistryState {
  /** Number of registered apps. */
  readonly count: number;
  /** The newest event; null: there is none. */
  readonly last: RegistryEntry | null;
}

interface RegistryEntry {
  readonly event: AppRegistryEvent;
  readonly before: RegistryEntry | null;
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
  const taken = registrationOf(state, settings.name);
  // The salt identifies a repeated command.
  if (taken?.salt === salt) return [];
  if (taken !== undefined) {
    return rejectField("APP_NAME_TAKEN", ["body", "name"], { name: settings.name });
  }
  const appId = state.count + 1;
  if (isStoreIdTaken(settings, appId, state)) return rejectField("IOS_STORE_ID_TAKEN", ["body", "iosStoreId"]);
  return [{ type: "AppRegistered", data: { ...settings, appId, salt, tokenIds } }];
}

function change({ appId, changes }: ChangeAppSettings, state: AppRegistryState): Decision {
  const current = settingsOf(state).get(appId);
  if (current === undefined) return { rejected: "APP_NOT_FOUND" };
  const settings = changeableSettings({ ...current, ...changes });
  if (isStoreIdTaken(settings, appId, state)) return rejectField("IOS_STORE_ID_TAKEN", ["body", "iosStoreId"]);
  if (areSame(settings, current)) return [];
  return [{ type: "AppSettingsChanged", data: { appId, ...settings } }];
}

function evolve(state: AppRegistryState, event: AppRegistryEvent): AppRegistryState {
  const last = { event, before: state.last };
  switch (event.type) {
    case "AppRegistered":
      return { count: event.data.appId, last };
    case "AppSettingsChanged":
      return { ...state, last };
    default:
      return assertNever(event);
  }
}

function isStoreIdTaken({ iosStoreId }: ChangeableSettings, appId: number, state: AppRegistryState): boolean {
  if (iosStoreId === null) return false;
  return [...settingsOf(state)].some(([otherId, other]) => otherId !== appId && other.iosStoreId === iosStoreId);
}

/** The registration of a name; undefined when it is free. */
export function registrationOf(state: AppRegistryState, name: string): AppRegistered["data"] | undefined {
  for (const event of newestFirst(state)) {
    if (event.type === "AppRegistered" && event.data.name === name) return event.data;
  }
  return undefined;
}

/** The current settings of each app by its id. */
export function settingsOf(state: AppRegistryState): ReadonlyMap<number, ChangeableSettings> {
  const found = new Map<number, ChangeableSettings>();
  for (const { data } of newestFirst(state)) {
    if (!found.has(data.appId)) found.set(data.appId, changeableSettings(data));
  }
  return found;
}

function* newestFirst({ last }: AppRegistryState): Generator<AppRegistryEvent> {
  for (let entry = last; entry !== null; entry = entry.before) yield entry.event;
}

/** Whether two settings are equal; a list that was never set equals an empty one. */
function areSame(one: ChangeableSettings, other: ChangeableSettings): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]) as ReadonlySet<keyof ChangeableSettings>;
  return [...keys].every((key) => JSON.stringify(one[key] ?? []) === JSON.stringify(other[key] ?? []));
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
  initialState: { count: 0, last: null },
  decide,
  evolve,
};
