import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { Fenced } from "../checkpoints/checkpoint.ts";
import type { Place } from "../checkpoints/positions.ts";
import { reasonOf } from "../parking/poison.ts";
import { backoffMs, pause } from "./backoff.ts";
import { applyBatch, type GroupWriter } from "./group-batch.ts";
import type { GroupBuffer } from "./group-buffer.ts";
import type { EngineLog } from "./log-reader.ts";

export interface GroupRunner {
  /** Applies the events of the buffer until it is closed. Rejects with {@link Fenced} only. */
  run(): Promise<void>;
  /** Why the last batch failed; null while batches succeed. */
  failing(): string | null;
}

/** Called after a commit. `readable`: how far the group can be read; undefined while a generation is being built. */
export type OnBatch = (batch: readonly RecordedEvent[], readable: Place | undefined) => void;

/** The loop of one group: applies batches, each in a transaction. A failed batch is retried with backoff. */
export function createGroupRunner(
  db: Knex,
  writer: GroupWriter,
  buffer: GroupBuffer,
  start: Place,
  signal: AbortSignal,
  engineLog: EngineLog,
  onBatch: OnBatch,
): GroupRunner {
  let place = start;
  let failure: string | null = null;

  const applyOnce = async (batch: readonly RecordedEvent[]): Promise<boolean> => {
    const result = await applyBatch(db, writer, place, batch);
    switch (result.outcome) {
      case "settling":
        await pause(result.ms, signal);
        return false;
      case "moved":
        engineLog.warn({ group: writer.group }, "the checkpoint was moved; resuming from it");
        place = result.checkpoint.place;
        return true;
      case "applied":
        place = batch.at(-1)?.position ?? place;
        if (result.parked > 0) {
          engineLog.error(
            { group: writer.group, events: result.parked },
            "events were parked: see `touchledger projection parked`",
          );
        }
        onBatch(batch, result.isComplete ? place : undefined);
        return true;
    }
  };

  return {
    run: async () => {
      for (let attempt = 1; !signal.aborted; ) {
        try {
          const batch = await buffer.next(place);
          if (batch === null) return;
          while (!(await applyOnce(batch)) && !signal.aborted);
          failure = null;
          attempt = 1;
        } catch (thrown) {
          if (thrown instanceof Fenced) throw thrown;
          if (signal.aborted) return;
          failure = reasonOf(thrown);
          engineLog.error({ err: thrown, group: writer.group, attempt }, "a batch could not be applied; retrying");
          await pause(backoffMs(attempt), signal);
          attempt += 1;
        }
      }
    },
    failing: () => failure,
  };
}
