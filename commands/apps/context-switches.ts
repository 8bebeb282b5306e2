import { appControls } from "../../domain/apps/app-controls.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { createStateCache, type StateCache } from "../state-cache.ts";

/** Whether apps' context calls are switched on (contract/administration.md#context-switch), in memory. */
export interface ContextSwitches extends Pick<StateCache<unknown>, "apply"> {
  /** Rejects with `EventLogUnavailable` if the app's stream must be read and cannot. */
  isActive(appId: number): Promise<boolean>;
  /** Makes the next call of `isActive` read the app's stream. */
  forget(appId: number): void;
}

const maxApps = 10_000;

export function createContextSwitches(log: Pick<EventLog, "read">): ContextSwitches {
  const { get, apply, forget } = createStateCache(log, "app", appControls, { max: maxApps });
  return { isActive: async (appId) => (await get(appId)).isContextActive, apply, forget };
}
