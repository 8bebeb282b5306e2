import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

export interface HoldLimits {
  readonly requests: number;
  /** How long a request waits. */
  readonly waitMs: number;
}

export interface HeldRequests {
  /** Keeps a request until an app takes it. One beyond a limit gets the response of the app that starts. */
  hold: RequestListener;
  /** Gives every request kept, in the order of arrival, and those that follow, to an app. */
  passTo(app: RequestListener): void;
}

/** Longer than a start takes. A thousand requests with headers of the usual size take a few megabytes. */
const usualLimits: HoldLimits = { requests: 1_000, waitMs: 10_000 };

/**
 * Requests that arrive while the application starts (contract/http.md#operations, docs/decisions/030). Their bodies stay
 * unread.
 * @param starting responds to those beyond the limits
 */
export function createHeldRequests(starting: RequestListener, limits: HoldLimits = usualLimits): HeldRequests {
  const held = new Map<ServerResponse, { readonly request: IncomingMessage; readonly expiry: NodeJS.Timeout }>();
  let taker: RequestListener | null = null;
  const release = (response: ServerResponse): void => {
    clearTimeout(held.get(response)?.expiry);
    held.delete(response);
  };
  return {
    hold: (request, response) => {
      if (taker !== null || held.size >= limits.requests) {
        const respond = taker ?? starting;
        respond(request, response);
        return;
      }
      const expiry = setTimeout(() => {
        release(response);
        starting(request, response);
      }, limits.waitMs);
      held.set(response, { request, expiry });
      response.once("close", () => release(response));
    },
    passTo: (app) => {
      taker = app;
      for (const [response, { request }] of held) {
        release(response);
        app(request, response);
      }
    },
  };
}
