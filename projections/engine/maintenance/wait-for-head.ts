import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import type { GroupName } from "../../projection.ts";
import { readCheckpoint } from "../checkpoints/checkpoint.ts";
import { comparePlaces, describePlace } from "../checkpoints/positions.ts";
import { RebuildRefused } from "../generations/rebuild.ts";
import type { LogReader } from "../runner/log-reader.ts";

/** How long a group may stand before the log's head. */
export const defaultStandsMs = 15_000;
const pollMs = 100;

/**
 * Waits until a group has passed what is now the log's head, for as long as its checkpoint advances. A group that has
 * never run is not waited for.
 * @throws {RebuildRefused} when the checkpoint stands before it for `standsMs`
 */
export async function waitForHead(
  db: Knex,
  log: Pick<LogReader, "headPosition">,
  group: GroupName,
  standsMs: number,
): Promise<void> {
  const head = await log.headPosition();
  let last = await readCheckpoint(db, group);
  let since = performance.now();
  while (last !== null && comparePlaces(last.place, head) < 0) {
    if (performance.now() - since >= standsMs) {
      throw new RebuildRefused(
        `Group ${group} stands at position ${describePlace(last.place)}, the log's head is ${describePlace(head)}: no ` +
          "server runs it, or an event stops it. Its log names the reason; `touchledger projection skip` skips an event.",
      );
    }
    await delay(pollMs);
    const now = await readCheckpoint(db, group);
    if (comparePlaces(now?.place ?? null, last.place) !== 0) since = performance.now();
    last = now;
  }
}
