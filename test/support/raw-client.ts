import { type IncomingHttpHeaders, request } from "node:http";
import { checkDocumented } from "./documented-responses.ts";

export interface Call {
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
  /** JSON of anything but text and bytes, which are sent as they are. */
  readonly body?: unknown;
  /** Sends the body in pieces of so many bytes, without a length. */
  readonly chunksOf?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body read as JSON; null when there is none. */
  readonly json: unknown;
}

export function statusesOf(answers: readonly { readonly status: number }[]): readonly number[] {
  return answers.map(({ status }) => status);
}

export type Client = (method: string, path: string, call?: Call) => Promise<Answer>;

/**
 * A client that sends exactly what is passed: bodies on GET, paths and queries as written, no headers of its own. An answer
 * that `GET /openapi.json` does not describe is an error.
 * @param isDocumented false for routes of a test
 */
export function clientOf(port: number, isDocumented = true): Client {
  return (method, path, { token, headers = {}, body, chunksOf } = {}) =>
    new Promise((resolve, reject) => {
      const bytes =
        body === undefined
          ? null
          : Buffer.isBuffer(body)
            ? body
            : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
      const length = bytes === null || chunksOf !== undefined ? {} : { "Content-Length": bytes.length };
      const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const sent = request({
        host: "127.0.0.1",
        port,
        method,
        path,
        headers: { ...length, ...authorization, ...headers },
      });
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = response.headers["content-type"]?.includes("json") ?? false;
          const json: unknown = isJson && text !== "" ? JSON.parse(text) : null;
          const { statusCode: status = 0, headers } = response;
          try {
            if (isDocumented) checkDocumented(method, path, status, headers, json);
            resolve({ status, headers, text, json });
          } catch (failure) {
            reject(failure);
          }
        });
        response.on("error", reject);
      });
      sent.on("error", reject);
      for (let at = 0; bytes !== null && at < bytes.length; at += chunksOf ?? bytes.length) {
        sent.write(bytes.subarray(at, at + (chunksOf ?? bytes.length)));
      }
      sent.end();
    });
}
