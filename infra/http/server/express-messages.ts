import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import express, { type Express } from "express";

/** The classes of a server's requests and responses. */
export interface ExpressMessages {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
  /** From now on they are born as this app's, no longer as another's. A listener that is no Express app takes them too. */
  serveApp(app: RequestListener): void;
}

/**
 * Requests and responses that are born with the prototypes which Express otherwise gives to each when it comes in. V8
 * keeps an object whose prototype was changed, and all that hangs on it, until the next full collection: with it a bare
 * Express redirects 8,500 times a second and stops for 10 ms at every small collection, without it 24,500 times and for
 * 0.3 ms ([decision 18](../../docs/decisions/018-preset-prototypes.md)).
 */
export function createExpressMessages(): ExpressMessages {
  class Request extends IncomingMessage {}
  class Response<From extends IncomingMessage> extends ServerResponse<From> {}
  Object.setPrototypeOf(Request.prototype, express.request);
  Object.setPrototypeOf(Response.prototype, express.response);
  let restore = (): void => {};
  return {
    IncomingMessage: Request,
    ServerResponse: Response,
    serveApp(app) {
      restore();
      restore = isExpress(app) ? install(app, Request.prototype, Response.prototype) : () => {};
    },
  };
}

/** Puts the prototypes in the place of the app's own; what it answers puts those back. */
function install(app: Express, request: object, response: object): () => void {
  const own = { request: app.request, response: app.response };
  app.request = Object.assign(request as Express["request"], { app });
  app.response = Object.assign(response as Express["response"], { app });
  return () => Object.assign(app, own);
}

function isExpress(app: RequestListener): app is RequestListener & Express {
  return "request" in app && "response" in app;
}
