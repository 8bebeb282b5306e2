import type { Request } from "express";
import { LRUCache } from "lru-cache";
import { fault } from "../../../domain/fault.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import { isLogPosition } from "../request/formats.ts";
import { type Problem, problems, validationFailed } from "../response/problem.ts";
import type { ReadModelGroup, Route } from "./route.ts";

/** Maximum wait of a read for its position, and of a write for its read model (contract/http.md#log-positions). */
export const maxWaitMs = 2_000;

/**
 * Waits until a group of read models has passed a position (a commit); false after `timeoutMs`, also when the database does
 * not respond.
 */
export type WaitForPosition = (group: ReadModelGroup, position: bigint, timeoutMs: number) => Promise<boolean>;

/** Waits until the read models of a route have passed the caller's `X-Min-Position`; null when they have. */
export async function waitForMinPosition(
  route: Route,
  request: Request,
  query: unknown,
  waitForPosition: WaitForPosition,
): Promise<Problem | null> {
  const text = request.headers["x-min-position"];
  if (text === undefined || route.reads === undefined) return null;
  if (typeof text !== "string" || !isLogPosition(text)) {
    return validationFailed([fault("wrong_format.position", ["header", "X-Min-Position"])]);
  }
  const also = route.alsoReads?.(query as undefined) ?? null;
  const groups = also === null ? [route.reads] : [route.reads, also];
  const waitMs = route.maxWaitMs ?? maxWaitMs;
  const havePassed = await Promise.all(groups.map((group) => waitForPosition(group, BigInt(text), waitMs)));
  return havePassed.includes(false) ? problems.readModelBehind : null;
}

const maxUnseenWrites = 10_000;

/**
 * The last write of each caller whose response this process sent before the read model had passed it. Until then, a
 * resource that the caller does not find may exist (contract/http.md#log-positions).
 */
export interface UnseenWrites {
  add(principal: Principal, group: ReadModelGroup, position: bigint): void;
  /** Waits at most `waitMs` until the read models have the caller's last write; null when there is none to wait for. */
  untilSeen(principal: Principal, group: ReadModelGroup, waitMs: number): (() => Promise<boolean>) | null;
}

export function createUnseenWrites(waitForPosition: WaitForPosition): UnseenWrites {
  const positions = new LRUCache<string, bigint>({ max: maxUnseenWrites });
  const keyOf = (principal: Principal, group: ReadModelGroup): string =>
    `${group} ${principal.kind === "token" ? principal.tokenId : principal.kind}`;
  return {
    add: (principal, group, position) => {
      const key = keyOf(principal, group);
      const known = positions.get(key);
      if (known === undefined || position > known) positions.set(key, position);
    },
    untilSeen: (principal, group, waitMs) => {
      const key = keyOf(principal, group);
      const position = positions.get(key);
      if (position === undefined) return null;
      return async () => {
        const isSeen = await waitForPosition(group, position, waitMs);
        if (isSeen && positions.get(key) === position) positions.delete(key);
        return isSeen;
      };
    },
  };
}
