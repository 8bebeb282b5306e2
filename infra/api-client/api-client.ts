import { setTimeout as pause } from "node:timers/promises";

/** Calls the public HTTP API with one token. */
export interface ApiClient {
  /** Sends JSON and returns the parsed body; throws {@link ApiRefused} unless the status is 2xx. */
  send(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<unknown>;
  /** As `send`, with more headers; returns `Retry-After` as well. */
  exchange(method: "GET" | "POST", path: string, more?: ExchangeOptions): Promise<ApiReply>;
  /** GETs and returns the text of the body; throws as `send` does. */
  read(path: string): Promise<string>;
  /**
   * POSTs one file as `multipart/form-data`, as uploads require it (contract/uploads.md#sending); returns and throws as
   * `send` does.
   */
  sendFile(path: string, file: SentFile): Promise<unknown>;
  /** As `sendFile`, with several files, identified by their names. */
  sendFiles(path: string, files: readonly SentFile[]): Promise<unknown>;
}

export interface ExchangeOptions {
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
}

export interface ApiReply {
  readonly body: unknown;
  /** `Retry-After`; null when there is none. */
  readonly retryAfterSeconds: number | null;
}

export interface SentFile {
  readonly name: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

export interface ApiClientOptions {
  readonly baseUrl: string;
  readonly token: string;
  /** How long calls are retried while the server is away or responds with 503; default 0: never. */
  readonly retryMs?: number;
}

const requestTimeoutMs = 30_000;
const retryPauseMs = 200;

export function createApiClient(options: ApiClientOptions): ApiClient {
  const withRetries = async (method: string, path: string, body: () => Body): Promise<Answered> => {
    const deadline = Date.now() + (options.retryMs ?? 0);
    for (;;) {
      const answer = await attempt(options, method, path, body());
      if (answer.done) return answer;
      if (Date.now() >= deadline) throw answer.fault;
      await pause(retryPauseMs);
    }
  };
  const sendBody = async (method: string, path: string, body: () => Body): Promise<unknown> =>
    parsed((await withRetries(method, path, body)).text);
  return {
    send: (method, path, body) => sendBody(method, path, () => jsonBody(body)),
    exchange: async (method, path, { body, headers } = {}) => {
      const content = jsonBody(body);
      const sent = { ...content, headers: { ...content.headers, ...headers } };
      const { text, retryAfterSeconds } = await withRetries(method, path, () => sent);
      return { body: parsed(text), retryAfterSeconds };
    },
    read: async (path) => (await withRetries("GET", path, () => ({}))).text,
    sendFile: (path, file) => sendBody("POST", path, () => filesBody([file], "text/csv")),
    sendFiles: (path, files) => sendBody("POST", path, () => filesBody(files)),
  };
}

/** Headers and body of a request. */
interface Body {
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | FormData;
}

function jsonBody(body: unknown): Body {
  const headers = { "content-type": "application/json" };
  return body === undefined ? { headers } : { headers, body: JSON.stringify(body) };
}

function filesBody(files: readonly SentFile[], type = "application/octet-stream"): Body {
  const body = new FormData();
  for (const { name, content } of files) body.append("file", new Blob([content], { type }), name);
  return { body };
}

function parsed(text: string): unknown {
  return text === "" ? null : JSON.parse(text);
}

interface Answered {
  readonly done: true;
  readonly text: string;
  readonly retryAfterSeconds: number | null;
}

type Attempt = Answered | { readonly done: false; readonly fault: Error };

async function attempt(options: ApiClientOptions, method: string, path: string, body: Body): Promise<Attempt> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${options.baseUrl}${path}`, {
      method,
      ...body,
      headers: { ...body.headers, authorization: `Bearer ${options.token}` },
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    text = await response.text();
  } catch (fault) {
    return { done: false, fault: fault instanceof Error ? fault : new Error(String(fault)) };
  }
  const retryAfterSeconds = retryAfterOf(response);
  if (response.ok) return { done: true, text, retryAfterSeconds };
  const refused = new ApiRefused(`${method} ${path}`, response.status, text, retryAfterSeconds);
  if (response.status === 503) return { done: false, fault: refused };
  throw refused;
}

/** `Retry-After` in seconds; null when there is none. */
export function retryAfterOf({ headers }: Response): number | null {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** The API responded with another status than 2xx. */
export class ApiRefused extends Error {
  override readonly name = "ApiRefused";
  readonly status: number;
  /** The body of the response. */
  readonly answer: string;
  /** `Retry-After`; null when there was none. */
  readonly retryAfterSeconds: number | null;
  constructor(request: string, status: number, answer: string, retryAfterSeconds: number | null = null) {
    super(`${request}: ${status} ${answer.slice(0, 500)}`);
    this.status = status;
    this.answer = answer;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
