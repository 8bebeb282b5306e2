import type { Response } from "express";
import { type Problem, problems } from "../response/problem.ts";

/** Limits that the body of one request must pass before it is parsed. */
export interface BodyGate {
  /** Counts further bytes of the body; false when the process holds too many (503). */
  hold(bytes: number): boolean;
  /** The problem of a complete body of `bytes`; null: it may be parsed. */
  admit(bytes: number): Problem | null;
}

/** The app whose request it is, or the client's network; null for the operator. */
type Owner = number | string | null;

const defaultMaxBytes = 64 * 1024 * 1024;

/** The bytes of all bodies that are in memory, from their first byte until their response is sent or the client is gone. */
export interface BodyBudget {
  /** For one request: counts bytes; false when they would exceed the budget, of which one owner has a part, operators all. */
  open(owner: Owner, response: Response): (bytes: number) => boolean;
}

/** @param maxOfOwner default: half of all */
export function createBodyBudget(maxBytes = defaultMaxBytes, maxOfOwner = maxBytes / 2): BodyBudget {
  const held = createShares(maxBytes, maxOfOwner);
  return {
    open: (owner, response) => {
      let own = 0;
      let isOver = false;
      response.once("close", () => {
        isOver = true;
        held.release(owner, own);
      });
      return (bytes) => {
        if (isOver || !held.take(owner, bytes)) return false;
        own += bytes;
        return true;
      };
    },
  };
}

/** Bytes; a body beyond them is large. */
const largeBodyBytes = 1024 * 1024;

/**
 * Admits at most `max` large bodies of a route at the same time, of one app at most half; 503 for further ones. A body
 * counts from its last byte, so that slow clients do not hold up others, until its response is sent.
 */
export function createLargeBodyPlaces(
  max: number,
): (bytes: number, owner: Owner, response: Response) => Problem | null {
  const taken = createShares(max, Math.ceil(max / 2));
  return (bytes, owner, response) => {
    if (bytes <= largeBodyBytes) return null;
    if (!taken.take(owner, 1)) return problems.overloaded;
    response.once("close", () => taken.release(owner, 1));
    return null;
  };
}

/** A total amount that owners share, with a maximum for each but the operator. */
export function createShares(max: number, maxOfOwner: number) {
  let total = 0;
  const byOwner = new Map<Owner, number>();
  return {
    take: (owner: Owner, amount: number): boolean => {
      const own = (byOwner.get(owner) ?? 0) + amount;
      if (total + amount > max || (owner !== null && own > maxOfOwner)) return false;
      total += amount;
      byOwner.set(owner, own);
      return true;
    },
    release: (owner: Owner, amount: number): void => {
      const own = (byOwner.get(owner) ?? 0) - amount;
      total -= amount;
      if (own > 0) byOwner.set(owner, own);
      else byOwner.delete(owner);
    },
  };
}
