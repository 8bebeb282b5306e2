import type { Log } from "./log.ts";

/** A call that is relevant to security, without the text of any token. */
export interface SecurityEvent {
  readonly event: "token_refused" | "permission_refused" | "token_issued" | "token_revoked" | "admin_call";
  readonly requestId: string;
  /** Of the client; null when unknown. */
  readonly address: string | null;
  readonly method: string;
  /** As the route declares it. */
  readonly path: string;
  readonly status: number;
  /** The kind of the caller; null when it is unknown, like its token's id. */
  readonly caller: string | null;
  readonly tokenId: string | null;
  readonly app: string | null;
  /** Ids of the tokens that were issued or revoked; of a channel's key `channel:<name>` when it was revoked. */
  readonly tokens?: readonly string[];
}

export type SecurityLog = (event: SecurityEvent) => void;

/** Of each kind of event, so that refused calls cannot crowd out the others. */
const maxEventsPerSecond = 10;
const windowMs = 1_000;

/**
 * Writes security events to the process log, at most ten a second of each kind; at the end of the second, the number of
 * those left out.
 * @param later calls `work` after `ms`
 */
export function createSecurityLog(log: Pick<Log, "info" | "warn">, later = laterWithoutWaiting): SecurityLog {
  const counts = new Map<SecurityEvent["event"], number>();
  const endWindow = (event: SecurityEvent["event"]): void => {
    const leftOut = (counts.get(event) ?? 0) - maxEventsPerSecond;
    counts.delete(event);
    if (leftOut > 0) log.warn({ security: event, leftOut }, "security events were left out");
  };
  return ({ event, ...details }) => {
    const count = (counts.get(event) ?? 0) + 1;
    counts.set(event, count);
    if (count === 1) later(() => endWindow(event), windowMs);
    if (count > maxEventsPerSecond) return;
    const isRefused = event === "token_refused" || event === "permission_refused";
    log[isRefused ? "warn" : "info"]({ security: event, ...details }, "security event");
  };
}

/** Does not keep the process alive. */
function laterWithoutWaiting(work: () => void, ms: number): void {
  setTimeout(work, ms).unref();
}
