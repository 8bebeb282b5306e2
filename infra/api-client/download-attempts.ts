import { setTimeout as pause } from "node:timers/promises";
import { ApiRefused, retryAfterOf } from "./api-client.ts";

export interface DownloadTiming {
  /** So long without a byte, and the download is given up. */
  readonly timeoutMs: number;
  /** So long without a byte, and the connection counts as lost. */
  readonly stalledMs: number;
  /** Between two attempts, when the server names no time. */
  readonly pauseMs: number;
}

const usualTiming: DownloadTiming = { timeoutMs: 60_000, stalledMs: 30_000, pauseMs: 500 };
const longestPauseMs = 5_000;
/** A server, or what stands before it, that is away for a while. */
const temporary: readonly number[] = [502, 503, 504];

/** The connection was lost, or the server is away; `message` says which. */
class DownloadCut extends Error {
  override readonly name = "DownloadCut";
}

/** A server could not be reached, or cut every attempt, for too long. */
export class DownloadExhausted extends Error {
  override readonly name = "DownloadExhausted";
}

/** Attempts at one file, whose address may expire. */
export interface OpenDownload {
  /**
   * Requests the file and gives `take` the answer and its bytes; again after a lost connection, an expired address and
   * a server that is away, until nothing has come for `timeoutMs`.
   * @throws {DownloadExhausted}
   * @throws {ApiRefused} for any other answer than 2xx
   */
  attempt<Taken>(
    method: "GET" | "HEAD",
    headers: () => Record<string, string>,
    take: (response: Response, pieces: AsyncIterable<Uint8Array>) => Promise<Taken>,
  ): Promise<Taken>;
  /** To be called when bytes have been taken: attempts count from there. */
  progressed(): void;
  /** To be thrown by `take` when the answer is too short. */
  cut(where: string): Error;
}

/** @param freshUrl answers a valid address of the file */
export function openDownload(freshUrl: () => Promise<string>, timing: DownloadTiming = usualTiming): OpenDownload {
  const { timeoutMs, stalledMs, pauseMs } = timing;
  let url: string | null = null;
  let progressedAt = performance.now();

  const requested = async (method: string, headers: Record<string, string>, stall: Stall): Promise<Response> => {
    url ??= await addressFrom(freshUrl);
    const sent = { method, headers: { "accept-encoding": "identity", ...headers }, signal: stall.signal };
    const response = await stall.within(fetch(url, sent));
    if (response.ok) return response;
    // The refusal of a HEAD has no body that says why.
    if (method === "HEAD") return requested("GET", headers, stall);
    const refused = new ApiRefused(
      method,
      response.status,
      await stall.within(response.text()),
      retryAfterOf(response),
    );
    if (isExpired(refused)) url = null;
    throw refused;
  };

  return {
    async attempt(method, headers, take) {
      progressedAt = performance.now();
      for (;;) {
        const stall = stallAfter(stalledMs);
        try {
          const response = await requested(method, headers(), stall);
          return await take(response, piecesOf(response, stall));
        } catch (failure) {
          if (!isTemporary(failure)) throw failure;
          if (performance.now() - progressedAt > timeoutMs) {
            throw new DownloadExhausted(`Nothing has arrived for ${timeoutMs / 1000} s: ${reasonOf(failure)}.`);
          }
          const asked = failure instanceof ApiRefused ? (failure.retryAfterSeconds ?? 0) * 1_000 : 0;
          await pause(Math.max(pauseMs, Math.min(asked, longestPauseMs)));
        } finally {
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
  /** What `arriving` answers; a {@link DownloadCut} when it fails, or takes too long. */
  within<Arrived>(arriving: Promise<Arrived>): Promise<Arrived>;
  /** Ends the connection of an answer that is not read to its end. */
  end(): void;
}

/** Ends a connection from which nothing comes. A target that takes its time does not count. */
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
    // What the API client throws when there is no connection, or no answer in time.
    const isAway = failure instanceof Error && ["TypeError", "TimeoutError"].includes(failure.name);
    throw isAway ? new DownloadCut(reasonOf(failure)) : failure;
  }
}

function isExpired({ status, answer }: ApiRefused): boolean {
  return status === 403 && answer.includes('"EXPORT_URL_EXPIRED"');
}

function isTemporary(failure: unknown): boolean {
  if (failure instanceof ApiRefused) return temporary.includes(failure.status) || isExpired(failure);
  return failure instanceof DownloadCut;
}

/** What a person understands of a failure: `fetch` hides it in its cause. */
function reasonOf(failure: unknown): string {
  if (failure instanceof ApiRefused) {
    return isExpired(failure) ? "its addresses have always expired" : `the server answers ${failure.status}`;
  }
  if (!(failure instanceof Error)) return String(failure);
  const { cause } = failure;
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return failure.message;
}
