import type { GroupName } from "../../projection.ts";
import { ReadModelNotReady } from "../../read-models.ts";
import type { LogReader } from "../runner/log-reader.ts";
import type { PositionOrStart } from "./positions.ts";
import type { WaitForPosition } from "./wait-for-position.ts";

/** How long a call waits. */
const waitMs = 300;

/**
 * A check that rejects until a group has once passed the head that the log had when the check was first called: a process
 * that has just started does not know what its callers wrote to the former one.
 * @throws {ReadModelNotReady}
 */
export function requireCaughtUp(
  log: Pick<LogReader, "headPosition">,
  waitForPosition: WaitForPosition,
  group: GroupName,
): () => Promise<void> {
  let head: PositionOrStart | undefined;
  let isCaughtUp = false;
  return async () => {
    if (isCaughtUp) return;
    head ??= await log.headPosition();
    isCaughtUp ||= await waitForPosition(group, head, waitMs);
    if (!isCaughtUp)
      throw new ReadModelNotReady(`Group ${group} has not passed the head that the log had at the start.`);
  };
}
