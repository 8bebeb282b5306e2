import type { AppRegistered, AppSettings } from "./events.ts";

/** An app with its settings at registration. */
export interface RegisteredApp extends AppSettings {
  readonly appId: number;
  readonly salt: string;
  readonly registeredAt: string;
}

export function registeredApp(data: AppRegistered["data"], registeredAt: string): RegisteredApp {
  const { tokenIds: _tokenIds, ...app } = data;
  return { ...app, registeredAt };
}
