import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { parsedUrl } from "../../../domain/values/url.ts";
import { newRequestId, requestIdHeader } from "../response/request-id.ts";
import { createExpressMessages } from "./preset-prototypes.ts";

export interface HttpServer {
  /** The port it listens on. */
  readonly port: number;
  /** Replaces the app; requests in progress stay with the previous one. */
  serve(app: RequestListener): void;
  /**
   * Stops accepting connections and waits for responses in progress, until `drainOver` aborts; then closes all
   * connections. Clients that neither send the rest of a request nor read a response are not waited for. Safe to call twice.
   */
  close(drainOver: AbortSignal): Promise<void>;
}

export interface ListenOptions {
  /** Null: every interface. */
  readonly host: string | null;
  /** 0: any free port. */
  readonly port: number;
  /** Time without a byte from or to a client after which a stop closes a connection that only waits for the client. */
  readonly stalledMs?: number;
}

/** Longer than the 60 s after which load balancers close idle connections, so that the server never closes first. */
const keepAliveMs = 65_000;
const sweepMs = 50;
const defaultStalledMs = 3_000;
/** Time for the response to a broken request to arrive before its connection is destroyed. */
const errorResponseMs = 1_000;
/** Fits the longest URL of a link: thirteen parameters of 256 characters, twelve bytes each when encoded. */
const maxHeaderBytes = 64 * 1024;
/** Node reads on while responses wait: one connection that reads none could hold thousands of requests in memory. */
const maxPipelined = 100;
const mediaType = "application/problem+json; charset=utf-8";

/** Listens, with timeouts for a public server. Rejects when the address is taken. */
export async function listen(
  firstApp: RequestListener,
  { host, port, stalledMs = defaultStalledMs }: ListenOptions,
): Promise<HttpServer> {
  let app = firstApp;
  let draining = false;
  /** The responses of each connection that are not over yet: a pipelining client waits for several. */
  const responses = new WeakMap<Duplex, Set<ServerResponse>>();
  const sockets = new Set<Socket>();
  const handle: RequestListener = (request, response) => {
    const ofConnection = responses.get(request.socket) ?? new Set();
    if (ofConnection.size >= maxPipelined) {
      request.socket.destroy();
      return;
    }
    responses.set(request.socket, ofConnection.add(response));
    onceOver(request, response, () => ofConnection.delete(response));
    if (response.socket === null) closeWithConnection(request.socket, response);
    if (draining) response.setHeader("Connection", "close");
    if (hasUsableTarget(request)) app(request, response);
    else refuse(response);
  };
  const messages = createExpressMessages();
  messages.serveApp(firstApp);
  const server = createServer(
    {
      IncomingMessage: messages.IncomingMessage,
      ServerResponse: messages.ServerResponse,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: keepAliveMs,
      // Node's own response has no request id; hasUsableTarget checks the header.
      requireHostHeader: false,
    },
    handle,
  );
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  // Unknown values of `Expect` are ignored.
  server.on("checkExpectation", handle);
  server.on("clientError", (failure, socket) => {
    // A request whose body breaks after its response gets no second one.
    if ([...(responses.get(socket) ?? [])].at(-1)?.headersSent) socket.destroy();
    else respondToBrokenRequest(failure, socket);
  });
  server.listen({ port, ...(host === null ? {} : { host }) });
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    serve: (nextApp) => {
      messages.serveApp(nextApp);
      app = nextApp;
    },
    close: (drainOver) => {
      draining = true;
      const isOver = createOverCheck((socket) => responses.get(socket), stalledMs);
      return drain(server, drainOver, () => {
        for (const socket of sockets) if (isOver(socket)) socket.destroy();
      });
    },
  };
}

/**
 * Calls back once a response has been sent and its request has been read. A connection is idle for a minute and more:
 * it must not keep what its last request needed, such as the body.
 */
function onceOver(request: IncomingMessage, response: ServerResponse, over: () => void): void {
  response.once("close", () => {
    if (request.complete) over();
    else request.once("close", over);
  });
}

/**
 * A response that waits behind an earlier one of its connection emits no `close` when the connection is closed, so that
 * nothing that it holds would be released.
 */
function closeWithConnection(socket: Socket, response: ServerResponse): void {
  const close = (): void => {
    response.destroy();
    response.emit("close");
  };
  // Node.js warns of a socket that more than ten listen to.
  socket.setMaxListeners(0);
  socket.once("close", close);
  // From here on Node does it.
  response.once("socket", () => socket.off("close", close));
}

/**
 * Returns a check, to be called repeatedly, whether a connection can be closed: its responses have been sent, or it waits
 * only for the client (for the rest of a request, or to read a response) without a byte either way for `stalledMs`.
 * @param responsesOf those that are not over yet; undefined before the first request
 */
function createOverCheck(
  responsesOf: (socket: Socket) => ReadonlySet<ServerResponse> | undefined,
  stalledMs: number,
): (socket: Socket) => boolean {
  const lastSeen = new WeakMap<Socket, { readonly progress: string; readonly at: number }>();
  return (socket) => {
    const responses = responsesOf(socket);
    const unsent = [...(responses ?? [])].filter((response) => !response.writableFinished);
    if (responses !== undefined && unsent.length === 0) return true;
    const isWorkedOn = unsent.some((response) => response.req.complete && !response.writableEnded);
    if (isWorkedOn && socket.writableLength === 0) {
      lastSeen.delete(socket);
      return false;
    }
    const progress = `${socket.bytesRead} ${socket.bytesWritten} ${socket.writableLength}`;
    const last = lastSeen.get(socket);
    if (last?.progress === progress) return performance.now() - last.at >= stalledMs;
    lastSeen.set(socket, { progress, at: performance.now() });
    return false;
  };
}

function drain(server: Server, drainOver: AbortSignal, closeOver: () => void): Promise<void> {
  const cutOff = (): void => server.closeAllConnections();
  const sweep = setInterval(closeOver, sweepMs);
  // `close` calls it, and it cuts off responses whose last bytes have not been sent.
  server.closeIdleConnections = () => undefined;
  drainOver.addEventListener("abort", cutOff, { once: true });
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  if (drainOver.aborted) cutOff();
  return closed.finally(() => {
    clearInterval(sweep);
    drainOver.removeEventListener("abort", cutOff);
  });
}

/**
 * Whether a request has one host, which HTTP/1.1 requires, and a path. Clients of proxies send a URL, which is reduced to
 * its path. Two hosts are refused, as a proxy in front could use the other one.
 */
function hasUsableTarget(request: IncomingMessage): boolean {
  const hosts = hostHeaders(request.rawHeaders);
  if (hosts > 1 || (hosts === 0 && request.httpVersion === "1.1")) return false;
  const { url: target = "" } = request;
  if (target.startsWith("/") || target === "*") return true;
  const url = parsedUrl(target);
  if (url === null) return false;
  request.url = url.pathname + url.search;
  return url.pathname.startsWith("/");
}

function hostHeaders(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count;
}

function refuse(response: ServerResponse): void {
  const requestId = newRequestId();
  const body = problemBody(400, "Bad Request", requestId);
  response.writeHead(400, {
    [requestIdHeader]: requestId,
    "Content-Type": mediaType,
    "Content-Language": "en",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  });
  response.end(body);
}

/** Responds to bytes that are not HTTP, which never reach the app, with a request id (contract/http.md#request-ids). */
function respondToBrokenRequest(failure: Error & { readonly code?: string }, socket: Duplex): void {
  if (failure.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = failure.code === "HPE_HEADER_OVERFLOW" ? 431 : failure.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
  const title = STATUS_CODES[status] ?? "Bad Request";
  const requestId = newRequestId();
  const body = problemBody(status, title, requestId);
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\n${requestIdHeader}: ${requestId}\r\nContent-Type: ${mediaType}\r\n` +
      `Content-Language: en\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // A client that keeps its half of the connection open would hold the request's memory.
  setTimeout(() => socket.destroy(), errorResponseMs).unref();
}

const otherDetails: { readonly [status: number]: string } = {
  408: "The request did not arrive in time. Send it again.",
  431: `The address and headers have more than ${maxHeaderBytes.toLocaleString("en")} bytes. Send fewer or shorter ones.`,
};

function problemBody(status: number, title: string, requestId: string): string {
  const detail =
    otherDetails[status] ??
    "The request is not valid HTTP/1.1. Check its first line, that it has one Host, and the names and values of its headers.";
  return JSON.stringify({ type: "about:blank", title, status, detail, code: "BAD_REQUEST", requestId });
}
