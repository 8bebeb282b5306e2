import type { RequestHandler } from "express";
import { uuidv7 } from "uuidv7";

/** The header of every response (contract/http.md#request-ids). */
export const requestIdHeader = "X-Request-Id";

interface ResponseHead {
  readonly headersSent?: boolean;
  getHeader(name: string): unknown;
  setHeader(name: string, value: string): unknown;
}

/** A fresh request id, a UUIDv7, never one of the client's (contract/http.md#request-ids). */
export function newRequestId(): string {
  return uuidv7();
}

/** Gives every response a request id. */
export function requestIds(): RequestHandler {
  return (_request, response, next) => {
    requestIdOf(response);
    next();
  };
}

/** The request id of a response; sets a new one when it has none and its headers are not sent. */
export function requestIdOf(response: ResponseHead): string {
  const known = response.getHeader(requestIdHeader);
  if (known !== undefined) return String(known);
  const requestId = newRequestId();
  if (response.headersSent !== true) response.setHeader(requestIdHeader, requestId);
  return requestId;
}
