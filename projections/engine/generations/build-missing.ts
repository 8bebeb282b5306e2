import type { Knex } from "knex";
import { backoffMs } from "../../../domain/backoff.ts";
import type { GroupName, Projection } from "../../projection.ts";
import { pause } from "../../waiting.ts";
import { reasonOf } from "../parking/find-poison.ts";
import type { EngineLogger, LogReader } from "../runner/log-reader.ts";
import { defaultGraceMs } from "./generations.ts";
import { rebuild } from "./rebuild.ts";

interface Engine {
  readonly db: Knex;
  readonly log: Pick<LogReader, "subscribe">;
  readonly logger: EngineLogger;
}

/**
 * Builds the projections of a group that have no generation of their version, with retries until it succeeds or `signal`
 * aborts.
 * @param onFailing called with the reason after each failed attempt, and with null after the one that succeeds
 */
export async function buildMissing(
  { db, log, logger }: Engine,
  group: GroupName,
  missing: readonly Projection[],
  onFailing: (reason: string | null) => void,
  signal: AbortSignal,
): Promise<void> {
  const projections = missing.map(({ name }) => name);
  for (let attempt = 1; missing.length > 0 && !signal.aborted; attempt += 1) {
    try {
      logger.info({ group, projections }, "building read models in a new version");
      await rebuild(db, log, group, missing, { graceMs: defaultGraceMs, signal });
      logger.info({ group, projections }, "the new version of the read models is live");
      onFailing(null);
      return;
    } catch (failure) {
      if (signal.aborted) return;
      onFailing(reasonOf(failure));
      logger.error({ err: failure, group, projections }, "the read models could not be built; trying again");
      await pause(backoffMs(attempt, 600, 30_000), signal);
    }
  }
}
