import { LRUCache } from "lru-cache";
import { appSettings } from "../../domain/apps/app-settings.ts";
import { eventsOfType, type RecordedEvent } from "../../domain/event-catalogue.ts";
import { appStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";

/** Whether apps' context calls are switched on (contract/administration.md#context-switch), in memory. */
export interface ContextSwitches {
  /** Rejects with `EventLogUnavailable` when the app's stream must be read and cannot. */
  isActive(appId: number): Promise<boolean>;
  /** Takes what the tail brings; events of other types are passed over. */
  apply(events: readonly RecordedEvent[]): void;
  /** Has the app's stream read again at the next question: it was written to just now. */
  forget(appId: number): void;
}

interface Switch {
  readonly active: boolean;
  /** Of the app's stream, when this was so. */
  readonly revision: bigint;
}

const maxApps = 10_000;

/** Reads an app's stream at the first question; later the tail says when something changes. */
export function createContextSwitches(log: Pick<EventLog, "read">): ContextSwitches {
  const known = new LRUCache<number, Switch>({ max: maxApps });

  /** A reading that began before the tail brought a change must not undo it. */
  const learn = (appId: number, found: Switch): Switch => {
    const newest = known.get(appId);
    if (newest !== undefined && newest.revision >= found.revision) return newest;
    known.set(appId, found);
    return found;
  };

  return {
    isActive: async (appId) => {
      const current = known.get(appId) ?? learn(appId, await readSwitch(log, appId));
      return current.active;
    },
    apply: (events) => {
      for (const { data, type, revision } of eventsOfType(events, "ContextActivated", "ContextDeactivated")) {
        learn(data.appId, { active: type === "ContextActivated", revision });
      }
    },
    forget: (appId) => {
      known.delete(appId);
    },
  };
}

async function readSwitch(log: Pick<EventLog, "read">, appId: number): Promise<Switch> {
  let state = appSettings.initialState;
  let revision = -1n;
  for await (const recorded of log.read(appStream(appId))) {
    state = appSettings.evolve(state, recorded);
    revision = recorded.revision;
  }
  return { active: state.isContextActive, revision };
}
