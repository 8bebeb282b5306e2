import { ReadModelNotReady } from "../../read-models.ts";
import type { LogReader } from "../runner/log-reader.ts";
import type { PositionOrStart } from "./positions.ts";
import type { WaitForPosition } from "./wait-for-position.ts";

/** How long a call waits. */
const waitMs = 300;

/**
 * A check that rejects until the facts have once passed the head that the log had when the check was made, at the start of
 * the process: it does not know what its callers wrote to the former one.
 * @throws {ReadModelNotReady}
 */
export function requireCaughtUp(
  log: Pick<LogReader, "headPosition">,
  waitForPosition: WaitForPosition,
): () => Promise<void> {
  let head: Promise<PositionOrStart> | null = null;
  let isCaughtUp = false;
  /** The head at the start; where it could not be read, the next one that can. */
  const headAtStart = (): Promise<PositionOrStart> => {
    head ??= log.headPosition().catch((failure: unknown) => {
      head = null;
      throw failure;
    });
    return head;
  };
  headAtStart().catch(() => {});
  return async () => {
    if (isCaughtUp) return;
    isCaughtUp = (await waitForPosition("facts", await headAtStart(), waitMs)) || isCaughtUp;
    if (!isCaughtUp) throw new ReadModelNotReady("The facts have not passed the head that the log had at the start.");
  };
}
