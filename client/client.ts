import createFetchClient, { type Client, defaultPathSerializer } from "openapi-fetch";
import { ApiRefused } from "./refusal.ts";
import { type Fetch, retryingFetch } from "./retries.ts";
import { idempotentOperations, type paths } from "./schema.ts";

export interface ClientOptions {
  /** Address of the API. */
  readonly baseUrl: string;
  /** A token of an app, or the operator's. */
  readonly token: string;
  /** How long calls are retried after a 429, or while the server is unavailable; default 10 s; 0: never. */
  readonly retryMs?: number;
  /** How requests are sent; default: the global `fetch`. */
  readonly fetch?: Fetch;
  /** Ends all that the client does when it aborts: calls, their retries, and waiting for a task. */
  readonly signal?: AbortSignal;
}

/** A body that is sent: its lists may be read-only. */
export type Sent<Body> = Body extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Body extends object
    ? { readonly [name in keyof Body]: Sent<Body[name]> }
    : Body;

/** A file of a form. */
export interface SentFile {
  readonly name: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

/**
 * The API, typed: `client.GET("/v1/tracking-links/{id}", {params: {path: {id}}})` returns `{data, error, response}`.
 * {@link required} is the data, or throws.
 */
export interface ApiClient extends Client<paths> {
  /** Sends to a path that is known only when the program runs; throws {@link ApiRefused} unless the status is 2xx. */
  call(method: string, path: string, body?: unknown): Promise<Response>;
  /** That of {@link ClientOptions}. */
  readonly signal: AbortSignal | undefined;
}

const defaultRetryMs = 10_000;
/** A redirected POST would be sent as a GET, whose response is not that of the POST. */
const redirect = "manual";

/**
 * Writes that honour an `Idempotency-Key` get one, unless the caller gives it, and are then repeated safely.
 * @throws {TypeError} for a `baseUrl` such as `localhost:8080`, which is no address
 */
export function createClient(options: ClientOptions): ApiClient {
  const { token, retryMs = defaultRetryMs, fetch: send, signal } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  if (!/^https?:\/\/./i.test(baseUrl)) {
    throw new TypeError(
      `baseUrl is ${JSON.stringify(baseUrl)}; it must be an address such as "https://touchledger.example".`,
    );
  }
  const retryingSend = retryingFetch(send ?? ((request) => fetch(request)), { retryMs, signal });
  const client = createFetchClient<paths>({
    baseUrl,
    fetch: retryingSend,
    headers: { Authorization: `Bearer ${token}` },
    redirect,
    pathSerializer: pathOf,
  });
  client.use({
    onRequest: ({ request, schemaPath }) => {
      const isKeyed = idempotentOperations.has(`${request.method} ${schemaPath}`);
      if (isKeyed && !request.headers.has("Idempotency-Key")) {
        request.headers.set("Idempotency-Key", globalThis.crypto.randomUUID());
      }
      return request;
    },
  });
  return {
    ...client,
    signal,
    call: async (method, path, body) => {
      const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
      if (isIdempotent(method, path)) headers["Idempotency-Key"] = globalThis.crypto.randomUUID();
      if (!(body instanceof FormData)) headers["Content-Type"] = "application/json";
      const content = body === undefined ? null : body instanceof FormData ? body : JSON.stringify(body);
      const response = await retryingSend(
        new Request(`${baseUrl}${path}`, { method, headers, body: content, redirect }),
      );
      if (response.ok) return response;
      throw new ApiRefused(`${method} ${path}`, response.status, await response.text(), response.headers);
    },
  };
}

/** A parameter of a path is empty, `.`, `..` or no text that an address can hold; the message names it. */
export class PathParameterInvalid extends Error {
  override readonly name = "PathParameterInvalid";
}

/** @throws {PathParameterInvalid} for values that would lead to another path, as an empty id to the list */
function pathOf(template: string, values: Record<string, unknown>): string {
  for (const [name, value] of Object.entries(values)) {
    if (!/^\.{0,2}$|\p{Surrogate}/u.test(String(value))) continue;
    throw new PathParameterInvalid(`${name} cannot be ${JSON.stringify(value)}.`);
  }
  return defaultPathSerializer(template, values);
}

const idempotentPaths = [...idempotentOperations].map(
  (name) => new RegExp(`^${name.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
);

function isIdempotent(method: string, path: string): boolean {
  const [pathname] = path.split("?", 1);
  return idempotentPaths.some((operation) => operation.test(`${method} ${pathname}`));
}

/** The data of a successful response. @throws {ApiRefused} */
export function required<Data>({
  data,
  error,
  response,
}: {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}): Data {
  if (response.ok) return data as Data;
  const text = typeof error === "string" ? error : (JSON.stringify(error) ?? "");
  throw new ApiRefused(response.url, response.status, text, response.headers);
}

/** A form of files, as uploads and model bundles take it. */
export function formOf(files: readonly SentFile[], type = "application/octet-stream"): FormData {
  const form = new FormData();
  for (const { name, content } of files) form.append("file", new Blob([content], { type }), name);
  return form;
}
