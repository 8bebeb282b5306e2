import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { AttemptResult } from "../../domain/webhooks/retries.ts";
import { BlockedAddress, checkedLookup, createResolveHost, NameNotFound, type ResolveHost } from "./checked-lookup.ts";
import { isPublicAddress, literalAddress } from "./public-address.ts";

export interface PosterOptions {
  /** Whether private, loopback and link-local addresses may be called (contract/webhooks.md#addresses). */
  readonly allowsPrivate: boolean;
  /** For connecting, sending and the response together (default 10 s). */
  readonly deadlineMs?: number;
  /** Default: {@link createResolveHost}. */
  readonly resolve?: ResolveHost;
}

export interface Poster {
  /** Sends a request. Redirects are not followed. Rejects when `signal` aborts or the sending process exits. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<AttemptResult>;
  close(): void;
}

/** Idle connections are closed after this time, before most servers do. */
const keepAliveMs = 4_000;
/** Of a response, which is not stored; a longer one ends the connection. */
const maxResponseBytes = 64 * 1024;

/** Sends requests to addresses that were checked, over connections that are kept. */
export function createPoster({ allowsPrivate, deadlineMs = 10_000, resolve }: PosterOptions): Poster {
  const options = { keepAlive: true, timeout: keepAliveMs };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  const lookup = checkedLookup(resolve ?? createResolveHost(allowsPrivate), allowsPrivate);

  const send = async (
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<IncomingMessage> => {
    // A connection to an address looks nothing up.
    const address = literalAddress(url.hostname);
    if (address !== null && !allowsPrivate && !isPublicAddress(address)) throw new BlockedAddress(address);
    const isPlain = url.protocol === "http:";
    if (isPlain && !allowsPrivate) throw new BlockedAddress(url.origin);
    return new Promise<IncomingMessage>((resolve, reject) => {
      const request = (isPlain ? requestHttp : requestHttps)(url, {
        method: "POST",
        agent: isPlain ? agents.http : agents.https,
        headers: { ...headers, "content-length": Buffer.byteLength(body), "user-agent": "Touchledger-Webhooks" },
        lookup,
        signal,
      });
      let hasResponse = false;
      request.on("response", (response) => {
        hasResponse = true;
        resolve(response);
      });
      // A response of 101 emits no `response`: it has no body, and its connection is of no use.
      request.on("upgrade", (response: IncomingMessage, socket) => {
        socket.destroy();
        response.push(null);
        resolve(response);
      });
      request.on("error", (failure: NodeJS.ErrnoException) => {
        // The receiver closed an idle connection at the same moment.
        const wasClosed = request.reusedSocket && !hasResponse && failure.code === "ECONNRESET";
        if (wasClosed) send(url, headers, body, signal).then(resolve, reject);
        else reject(failure);
      });
      request.end(body);
    });
  };

  const post = async (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<AttemptResult> => {
    const over = new AbortController();
    const giveUp = (): void => over.abort(signal.reason);
    const deadline = setTimeout(() => over.abort(), deadlineMs);
    signal.addEventListener("abort", giveUp, { once: true });
    const exchange = async (): Promise<number> => {
      const response = await send(new URL(url), headers, body, over.signal);
      await readAway(response);
      return response.statusCode ?? 0;
    };
    try {
      signal.throwIfAborted();
      // Also ends a request that emits neither a response nor an error.
      const status = await Promise.race([exchange(), rejectionOf(over.signal)]);
      return { responseStatus: status, failure: status >= 200 && status < 300 ? null : "status" };
    } catch (failure) {
      signal.throwIfAborted();
      return { responseStatus: null, failure: over.signal.aborted ? "timeout" : kindOf(failure) };
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener("abort", giveUp);
    }
  };

  return {
    post,
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Rejects when a signal aborts. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Reads a response to its end, so that its connection can be used again. */
async function readAway(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    // Leaving the loop closes the connection.
    if (bytes > maxResponseBytes) return;
  }
}

function kindOf(failure: unknown): "blocked_address" | "connection" | "name_not_found" {
  if (failure instanceof BlockedAddress) return "blocked_address";
  return failure instanceof NameNotFound ? "name_not_found" : "connection";
}
