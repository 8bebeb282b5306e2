import type { Request } from "express";
import { fault } from "../../../domain/fault.ts";
import { type Problem, problems, validationFailed } from "../response/problem.ts";
import type { ReadModelGroup, Route } from "./route.ts";

/** Maximum wait of a read for its position, and of a write for its read model (contract/http.md#log-positions). */
export const maxWaitMs = 2_000;
const maxPosition = 9_223_372_036_854_775_807n;

/** Whether a group of read models has passed a position (a commit), waiting for it at most `timeoutMs`. */
export type Passed = (group: ReadModelGroup, position: bigint, timeoutMs: number) => Promise<boolean>;

/** Waits until the read models of a route have passed the caller's `X-Min-Position`; null when they have. */
export async function waitForPosition(route: Route, request: Request, passed: Passed): Promise<Problem | null> {
  const text = request.headers["x-min-position"];
  if (text === undefined || route.reads === undefined) return null;
  const position = typeof text === "string" && /^\d{1,19}$/.test(text) ? BigInt(text) : -1n;
  if (position < 0n || position > maxPosition) {
    return validationFailed([fault("wrong_format.position", ["header", "X-Min-Position"])]);
  }
  return (await passed(route.reads, position, maxWaitMs)) ? null : problems.readModelBehind;
}
