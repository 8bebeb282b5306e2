import { finished } from "node:stream";
import type { Request, Response } from "express";
import { problems } from "../response/problem.ts";
import type { Input } from "./request-input.ts";

/** Bytes of a body that is not large: as many as most routes take. */
const largestUsual = 1024 * 1024;

type ReadInput = (request: Request, response: Response) => Promise<Input>;

/**
 * Reads input as `readInput` does, but has at most `most` large bodies in memory at the same time: for a further one
 * there is no room until one of the others is answered. A body whose length is not said counts as large.
 */
export function fewLargeBodies(most: number, readInput: ReadInput): ReadInput {
  let taken = 0;
  return async (request, response) => {
    if (!isLarge(request)) return readInput(request, response);
    if (taken === most) return { outcome: "unread", problem: problems.overloaded };
    taken += 1;
    // An answer can be as large as its request: the place is free when it has been sent, or nobody waits for it.
    finished(response, () => {
      taken -= 1;
    });
    return readInput(request, response);
  };
}

function isLarge({ headers }: Request): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > largestUsual;
}
