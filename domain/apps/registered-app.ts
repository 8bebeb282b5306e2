import type { AppRegistered, AppSettings, AppSettingsChanged } from "./events.ts";

/** An app with its current settings. */
export interface RegisteredApp extends AppSettings {
  readonly appId: number;
  readonly salt: string;
  readonly registeredAt: string;
  /** Log position of the registration. */
  readonly registeredPosition: bigint;
}

/** The app as it was registered, at an instant (ISO 8601) and a log position. */
export function registeredApp(
  data: AppRegistered["data"],
  registeredAt: string,
  registeredPosition: bigint,
): RegisteredApp {
  const { tokenIds: _tokenIds, ...app } = data;
  return { ...app, registeredAt, registeredPosition };
}

/** The app after a change of its settings. */
export function changedApp(app: RegisteredApp, data: AppSettingsChanged["data"]): RegisteredApp {
  return { ...app, ...data };
}
