import type { Cause } from "../../commands/event-metadata.ts";

/** An operator's request. */
export const operatorCause = {
  actor: { kind: "operator" },
  requestId: "01900000-0000-7000-8000-000000000001",
  occurredAt: "2026-03-01T00:00:00.000Z",
} as const satisfies Cause;
