import { setTimeout as pause } from "node:timers/promises";

/** A caller of the public HTTP API, with one token. */
export interface ApiClient {
  /** Sends JSON and answers the parsed body; throws {@link ApiRefused} on any other answer than 2xx. */
  send(method: "GET" | "POST" | "PUT", path: string, body?: unknown): Promise<unknown>;
}

export interface ApiClientOptions {
  readonly baseUrl: string;
  readonly token: string;
  /** How long a server that is away or answers 503 is tried again; 0: never. */
  readonly patienceMs?: number;
}

const requestTimeout = 30_000;
const retryPause = 200;

export function createApiClient(options: ApiClientOptions): ApiClient {
  const patience = options.patienceMs ?? 0;
  return {
    send: async (method, path, body) => {
      const deadline = Date.now() + patience;
      for (;;) {
        const answer = await attempt(options, method, path, body);
        if (answer.done) return answer.body;
        if (Date.now() >= deadline) throw answer.fault;
        await pause(retryPause);
      }
    },
  };
}

type Attempt = { readonly done: true; readonly body: unknown } | { readonly done: false; readonly fault: Error };

async function attempt(options: ApiClientOptions, method: string, path: string, body: unknown): Promise<Attempt> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${options.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${options.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestTimeout),
    });
    text = await response.text();
  } catch (fault) {
    return { done: false, fault: fault instanceof Error ? fault : new Error(String(fault)) };
  }
  if (response.ok) return { done: true, body: text === "" ? null : JSON.parse(text) };
  const refused = new ApiRefused(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
  if (response.status === 503) return { done: false, fault: refused };
  throw refused;
}

/** The API answered, but not with a 2xx. */
export class ApiRefused extends Error {
  override readonly name = "ApiRefused";
}
