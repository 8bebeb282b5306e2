import type { Reactor } from "../../commands/reactors/reactor.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";

export interface InstallVectorsDeps {
  /** Whether an install has no features yet. */
  hasOpen(): Promise<boolean>;
  /** Stores the features of at most `max` installs, the oldest that have none. */
  fill(max: number): Promise<unknown>;
}

/** Installs of one transaction. */
const batchSize = 200;

/**
 * Stores the features of installs (contract/prediction.md#features), the oldest first. It works half of the time: no
 * call waits for it, as missing features are computed on demand. Runs where attribution runs, whose look-ups it makes.
 */
export function installVectors({ hasOpen, fill }: InstallVectorsDeps): Reactor<{ readonly appId: null }, null> {
  return {
    name: "vectors",
    role: "attribution",
    list: "facts",
    adds: isInstall,
    open: async () => ((await hasOpen()) ? [{ appId: null }] : []),
    keyOf: () => "installs",
    act: async () => {
      await fill(batchSize);
      return null;
    },
    record: async () => false,
    retry: { initialBackoffMs: 100, maxBackoffMs: 5_000, giveUp: null },
    limits: { maxConcurrent: 1, maxOpen: 1, pollMs: 1_000, restFactor: 1 },
  };
}

function isInstall(event: RecordedEvent): boolean {
  return event.type === "AppEventRecorded" && event.data.category === "app_install";
}
