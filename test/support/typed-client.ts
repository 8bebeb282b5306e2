import { type ApiClient, type ClientOptions, createClient, formOf, type SentFile } from "../../client/index.ts";
import { checkDocumented } from "./documented-responses.ts";

/** The client, and calls of paths that a test makes. Every answer is checked against `GET /openapi.json`. */
export interface TestClient extends ApiClient {
  /** The parsed body; throws `ApiRefused` unless the status is 2xx. */
  send(method: string, path: string, body?: unknown): Promise<unknown>;
  /** The text of a GET. */
  read(path: string): Promise<string>;
  /** Sends a form of files. */
  sendFiles(path: string, files: readonly SentFile[]): Promise<unknown>;
}

export function testClient(options: ClientOptions): TestClient {
  const client = createClient({ ...options, fetch: checkedFetch });
  const parsed = async (response: Response): Promise<unknown> => {
    const text = await response.text();
    return text === "" ? null : JSON.parse(text);
  };
  return {
    ...client,
    send: async (method, path, body) => parsed(await client.call(method, path, body)),
    read: async (path) => (await client.call("GET", path)).text(),
    sendFiles: async (path, files) => parsed(await client.call("POST", path, formOf(files))),
  };
}

/** Sends a request, and fails for an answer that the document does not describe. */
async function checkedFetch(request: Request): Promise<Response> {
  const response = await fetch(request);
  const mediaType = response.headers.get("content-type") ?? "";
  const { pathname } = new URL(request.url);
  const text = mediaType.includes("json") ? await response.clone().text() : "";
  const headers = Object.fromEntries(response.headers);
  checkDocumented(request.method, pathname, response.status, headers, text === "" ? null : JSON.parse(text));
  return response;
}
