import type { RequestHandler } from "express";
import { uuidv7 } from "uuidv7";

const header = "X-Request-Id";

/** Gives every answer a fresh UUIDv7 as `X-Request-Id`, never one of the client's (D1.2). */
export function requestIds(): RequestHandler {
  return (_request, response, next) => {
    response.setHeader(header, uuidv7());
    next();
  };
}

/** The request id that an answer carries. */
export function requestIdOf(response: { getHeader(name: string): unknown }): string {
  return String(response.getHeader(header));
}
