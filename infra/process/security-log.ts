import { laterWithoutWaiting, limitLines } from "./limited-lines.ts";
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

/**
 * Writes security events to the process log, within the {@link limitLines} of each kind of event; at the end of the second,
 * the number of those left out.
 * @param later calls `work` after `ms`
 */
export function createSecurityLog(log: Pick<Log, "info" | "warn">, later = laterWithoutWaiting): SecurityLog {
  const limited = limitLines<SecurityEvent["event"]>(
    (event, leftOut) => log.warn({ security: event, leftOut }, "security events were left out"),
    later,
  );
  return ({ event, ...details }) =>
    limited(event, () => {
      const isRefused = event === "token_refused" || event === "permission_refused";
      log[isRefused ? "warn" : "info"]({ security: event, ...details }, "security event");
    });
}
