import type { Failing } from "./retries.ts";

/** What waits for a webhook: its due deliveries, and notifications that are to become deliveries. */
export interface WebhookBacklog {
  /** Position of the newest notification that has become a delivery, or of the log when deliveries were first stored. */
  readonly position: bigint;
  /**
   * Whether only what a caller has requested is sent now, as its last requests failed. Its notifications still become
   * deliveries.
   */
  readonly isPaused: boolean;
  /** Whether it has deliveries to send now. */
  readonly hasDue: boolean;
  /** Whether another notification may become a delivery. */
  readonly hasNext: boolean;
  /** Maximum notifications that may become deliveries. */
  readonly room: number;
  /** Null when at least one of the last requests succeeded. */
  readonly failing: Failing | null;
  /** Since when the oldest delivery or notification waits. */
  readonly since: Date;
}
