import type { EventPlace } from "../../../domain/report-tasks/events.ts";

/** The log position of an event that is there. */
export type PositionOf = (place: EventPlace) => Promise<bigint>;

/**
 * A report task with the position that it is computed at: that of its `asOf`, else of its request
 * (contract/reports.md#tasks).
 */
export async function resolveAsOf<
  Task extends { readonly position: bigint; readonly query: { readonly asOf?: EventPlace } },
>(task: Task, positionOf: PositionOf): Promise<Task> {
  const { asOf } = task.query;
  return asOf === undefined ? task : { ...task, position: await positionOf(asOf) };
}
