/**
 * Sort key of an event: its time in epoch milliseconds, then its log position
 * (contract/attribution.md#target-events).
 */
export interface EventOrderKey {
  readonly at: number;
  readonly position: bigint;
}

/** Whether one event comes before another; an event does not come before itself. */
export function precedes(one: EventOrderKey, other: EventOrderKey): boolean {
  return one.at < other.at || (one.at === other.at && one.position < other.position);
}
