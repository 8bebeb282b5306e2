import { connectionFailure } from "./connection-failure.ts";
import { ApiRefused } from "./refusal.ts";
import { pause } from "./retries.ts";

export interface DownloadTiming {
  /** Time without a byte after which the download is given up. */
  readonly timeoutMs: number;
  /** Time without a byte after which the connection counts as lost. */
  readonly stalledMs: number;
  /** Pause between two attempts, unless the server names a time. */
  readonly pauseMs: number;
}

const usualTiming: DownloadTiming = { timeoutMs: 60_000, stalledMs: 30_000, pauseMs: 500 };
const maxPauseMs = 5_000;
/** Statuses of a server or proxy that is temporarily unavailable. */
const temporary: readonly number[] = [502, 503, 504];

/** The connection was lost, or the server is unavailable. */
class DownloadCut extends Error {
  override readonly name = "DownloadCut";
}

/** No attempt has received a byte for too long. */
export class DownloadExhausted extends Error {
  override readonly name = "DownloadExhausted";
}

/** Attempts at one file, whose address may expire. */
export interface OpenDownload {
  /**
   * Requests the file and passes the response and its bytes to `take`. Repeats this after a lost connection, an expired
   * address or a temporary failure of the server.
   * @throws {DownloadExhausted} after `timeoutMs` without a byte
   * @throws {ApiRefused} for other statuses than 2xx
   */
  attempt<Taken>(
    method: "GET" | "HEAD",
    headers: () => Record<string, string>,
    take: (response: Response, pieces: AsyncIterable<Uint8Array>) => Promise<Taken>,
  ): Promise<Taken>;
  /** Restarts the time limit; to be called when bytes have arrived. */
  progressed(): void;
  /** The error that `take` throws when the response is too short. */
  cut(where: string): Error;
}

/**
 * @param freshUrl returns a valid address of the file
 * @param signal ends attempts and the pauses between them, which then throw its reason
 */
export function openDownload(
  freshUrl: () => Promise<string>,
  timing: DownloadTiming = usualTiming,
  signal?: AbortSignal,
): OpenDownload {
  const { timeoutMs, stalledMs, pauseMs } = timing;
  let url: string | null = null;
  let progressedAt = performance.now();

  const request = async (method: string, headers: Record<string, string>, stall: Stall): Promise<Response> => {
    url ??= await addressFrom(freshUrl);
    const init = { method, headers: { "accept-encoding": "identity", ...headers }, signal: stall.signal };
    const response = await stall.within(fetch(url, init));
    if (response.ok) return response;
    // A response to HEAD has no body with the reason.
    if (method === "HEAD") return request("GET", headers, stall);
    const refused = new ApiRefused(method, response.status, await stall.within(response.text()), response.headers);
    if (isExpired(refused)) url = null;
    throw refused;
  };

  return {
    async attempt(method, headers, take) {
      progressedAt = performance.now();
      for (;;) {
        signal?.throwIfAborted();
        const stall = stallAfter(stalledMs);
        signal?.addEventListener("abort", stall.end);
        try {
          const response = await request(method, headers(), stall);
          return await take(response, piecesOf(response, stall));
        } catch (failure) {
          signal?.throwIfAborted();
          if (!isTemporary(failure)) throw failure;
          if (performance.now() - progressedAt > timeoutMs) {
            throw new DownloadExhausted(`Nothing has arrived for ${timeoutMs / 1000} s: ${reasonOf(failure)}.`);
          }
          const requestedMs = failure instanceof ApiRefused ? (failure.retryAfterSeconds ?? 0) * 1_000 : 0;
          await pause(Math.max(pauseMs, Math.min(requestedMs, maxPauseMs)), signal);
        } finally {
          signal?.removeEventListener("abort", stall.end);
          stall.end();
        }
      }
    },
    progressed: () => {
      progressedAt = performance.now();
    },
    cut: (where) => new DownloadCut(`the connection ended ${where}`),
  };
}

interface Stall {
  readonly signal: AbortSignal;
  /** The result of `arriving`; throws {@link DownloadCut} when it fails or takes too long. */
  within<Arrived>(arriving: Promise<Arrived>): Promise<Arrived>;
  /** Closes the connection, if the response was not read to its end. */
  end(): void;
}

/** Closes a connection that receives nothing for a while; the time that the target takes does not count. */
function stallAfter(stalledMs: number): Stall {
  const controller = new AbortController();
  let isSilent = false;
  const giveUp = (): void => {
    isSilent = true;
    controller.abort();
  };
  return {
    signal: controller.signal,
    end: () => controller.abort(),
    within: async (arriving) => {
      const timer = setTimeout(giveUp, stalledMs);
      try {
        return await arriving;
      } catch (failure) {
        throw new DownloadCut(isSilent ? "the server is silent" : reasonOf(failure));
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function* piecesOf({ body }: Response, stall: Stall): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await stall.within(reader.read());
    if (done) return;
    yield value;
  }
}

async function addressFrom(freshUrl: () => Promise<string>): Promise<string> {
  try {
    return await freshUrl();
  } catch (failure) {
    // What the API client throws when there is no connection, or no response in time.
    const isUnreachable = failure instanceof Error && ["TypeError", "TimeoutError"].includes(failure.name);
    throw isUnreachable ? new DownloadCut(reasonOf(failure)) : failure;
  }
}

function isExpired({ status, body }: ApiRefused): boolean {
  return status === 403 && body.includes('"EXPORT_URL_EXPIRED"');
}

function isTemporary(failure: unknown): boolean {
  if (failure instanceof ApiRefused) return temporary.includes(failure.status) || isExpired(failure);
  return failure instanceof DownloadCut;
}

/** The reason of a failure for a user. */
function reasonOf(failure: unknown): string {
  if (failure instanceof ApiRefused) {
    return isExpired(failure) ? "its addresses have always expired" : `the server responds with ${failure.status}`;
  }
  return failure instanceof Error ? (connectionFailure(failure) ?? failure.message) : String(failure);
}
