import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import type { GroupName } from "../../projection.ts";
import { readCheckpoint } from "../checkpoints/checkpoint.ts";
import { comparePositions, type PositionOrStart, positionText } from "../checkpoints/positions.ts";
import { RebuildRefused } from "../generations/rebuild.ts";
import { hasLeader } from "../leader/leader-election.ts";
import type { LogReader } from "../runner/log-reader.ts";
import { projectorRole } from "../runner/status.ts";

const pollMs = 100;

/** The head of the log. Retries for `stalledMs` while the event store fails, as at a change of leader; then rejects. */
export async function headInTime(log: Pick<LogReader, "headPosition">, stalledMs: number): Promise<PositionOrStart> {
  const since = performance.now();
  for (;;) {
    try {
      return await log.headPosition();
    } catch (failure) {
      if (performance.now() - since >= stalledMs) throw failure;
    }
    await delay(pollMs);
  }
}

/**
 * Waits until a group has passed the current head of the log, for as long as its checkpoint advances. Returns at once
 * for a group that has never run.
 * @throws {RebuildRefused} when the checkpoint does not advance for `stalledMs`; what the event store fails with when it
 * fails for as long
 */
export async function waitForHead(
  db: Knex,
  log: Pick<LogReader, "headPosition">,
  group: GroupName,
  stalledMs: number,
): Promise<void> {
  const head = await headInTime(log, stalledMs);
  let last = await readCheckpoint(db, group);
  let since = performance.now();
  while (last !== null && comparePositions(last.position, head) < 0) {
    if (performance.now() - since >= stalledMs) {
      const reason = (await hasLeader(db, projectorRole))
        ? "The log of the server that runs it has the reason; if one event stops it, `touchledger projection skip` skips that."
        : "No server runs it: start one, which applies the rest.";
      throw new RebuildRefused(
        `Group ${group} is at position ${positionText(last.position)}, the log's head is ${positionText(head)}. ${reason}`,
      );
    }
    await delay(pollMs);
    const now = await readCheckpoint(db, group);
    if (comparePositions(now?.position ?? null, last.position) !== 0) since = performance.now();
    last = now;
  }
}
