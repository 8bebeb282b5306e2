import { setTimeout as pause } from "node:timers/promises";

/** A caller of the public HTTP API, with one token. */
export interface ApiClient {
  /** Sends JSON and answers the parsed body; throws {@link ApiRefused} on any other answer than 2xx. */
  send(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<unknown>;
  /** As `send`, with headers of its own; answers what the reply's headers say as well. */
  exchange(method: "GET" | "POST", path: string, more?: ExchangeOptions): Promise<ApiReply>;
  /** GETs and answers the text of the body; throws as `send` does. */
  read(path: string): Promise<string>;
  /**
   * POSTs one file as `multipart/form-data`, as uploads want it (contract/uploads.md#sending); answers and throws as
   * `send` does.
   */
  sendFile(path: string, file: SentFile): Promise<unknown>;
  /** The same with several files, which are known by their names. */
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
  /** How long a server that is away or answers 503 is tried again; 0: never. */
  readonly patienceMs?: number;
}

const requestTimeout = 30_000;
const retryPause = 200;

export function createApiClient(options: ApiClientOptions): ApiClient {
  const patience = options.patienceMs ?? 0;
  const repeatedly = async (method: string, path: string, body: () => Body): Promise<Answered> => {
    const deadline = Date.now() + patience;
    for (;;) {
      const answer = await attempt(options, method, path, body());
      if (answer.done) return answer;
      if (Date.now() >= deadline) throw answer.fault;
      await pause(retryPause);
    }
  };
  const sendBody = async (method: string, path: string, body: () => Body): Promise<unknown> =>
    parsed((await repeatedly(method, path, body)).text);
  return {
    send: (method, path, body) => sendBody(method, path, () => jsonBody(body)),
    exchange: async (method, path, { body, headers } = {}) => {
      const content = jsonBody(body);
      const sent = { ...content, headers: { ...content.headers, ...headers } };
      const { text, retryAfterSeconds } = await repeatedly(method, path, () => sent);
      return { body: parsed(text), retryAfterSeconds };
    },
    read: async (path) => (await repeatedly("GET", path, () => ({}))).text,
    sendFile: (path, file) => sendBody("POST", path, () => filesBody([file], "text/csv")),
    sendFiles: (path, files) => sendBody("POST", path, () => filesBody(files)),
  };
}

/** What `fetch` is given beside method and address. */
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
      signal: AbortSignal.timeout(requestTimeout),
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

/** `Retry-After` in seconds, as the API writes it; null when there is none. */
export function retryAfterOf({ headers }: Response): number | null {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** The API answered, but not with a 2xx. */
export class ApiRefused extends Error {
  override readonly name = "ApiRefused";
  readonly status: number;
  /** The answer's body. */
  readonly answer: string;
  /** `Retry-After`; null when there was none. */
  readonly retryAfterSeconds: number | null;
  constructor(asked: string, status: number, answer: string, retryAfterSeconds: number | null = null) {
    super(`${asked}: ${status} ${answer.slice(0, 500)}`);
    this.status = status;
    this.answer = answer;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
