import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import express, { type Express } from "express";

/** The classes of a server's requests and responses. */
export interface ExpressMessages {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
  /** Makes new requests and responses those of this app; handlers other than Express apps can use them too. */
  serveApp(app: RequestListener): void;
}

/**
 * Requests and responses that are created with the prototypes of an Express app. Express otherwise changes the prototype
 * of each, and V8 then keeps the object, and all that it refers to, until the next full collection: a bare Express
 * redirects 8,500 times a second and stops for 10 ms at every minor collection, with preset prototypes 24,500 times and
 * for 0.3 ms (docs/decisions/018-preset-prototypes.md).
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

/** Replaces the app's prototypes; returns what restores them. */
function install(app: Express, request: object, response: object): () => void {
  const own = { request: app.request, response: app.response };
  app.request = Object.assign(request as Express["request"], { app });
  app.response = Object.assign(response as Express["response"], { app });
  return () => Object.assign(app, own);
}

function isExpress(app: RequestListener): app is RequestListener & Express {
  return "request" in app && "response" in app;
}
