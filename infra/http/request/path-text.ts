import type { RequestHandler } from "express";
import { type Fault, fault } from "../../../domain/fault.ts";
import { isWellFormedText } from "../../../domain/values/text.ts";

/**
 * Stands for what cannot be decoded; refused later, in the order of contract/http.md#statuses, like any U+0000 in a
 * path.
 */
const undecodable = "%00";

/**
 * Express answers a path that is not percent-encoded UTF-8 before any route sees it. This puts U+0000 in the place of
 * such segments, so that authentication comes first and each route refuses with its own status.
 */
export function pathsDecodable(): RequestHandler {
  return (request, _response, next) => {
    if (request.url.includes("%")) {
      const end = request.url.indexOf("?");
      const path = end === -1 ? request.url : request.url.slice(0, end);
      if (!isDecodable(path)) {
        request.url =
          path
            .split("/")
            .map((segment) => (isDecodable(segment) ? segment : undecodable))
            .join("/") + request.url.slice(path.length);
      }
    }
    next();
  };
}

/** The first path parameter with text that nobody may send (contract/http.md#text); null when there is none. */
export function pathFault(params: { readonly [name: string]: string }): Fault | null {
  for (const name of Object.keys(params)) {
    const value = params[name];
    if (value !== undefined && !isWellFormedText(value)) return fault("illegal_text.percent_encoded", ["path", name]);
  }
  return null;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
