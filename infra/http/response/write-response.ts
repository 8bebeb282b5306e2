import type { Request, Response } from "express";
import { languageOf, setContentLanguage } from "../i18n/content-language.ts";
import { problemBody } from "../i18n/messages.ts";
import { isShortEnoughToParse } from "../request/header-text.ts";
import { maxStoredBodyBytes, type StoredResponse } from "../routing/idempotency.ts";
import type { Reply } from "../routing/route.ts";
import type { Problem } from "./problem.ts";
import { requestIdOf } from "./request-id.ts";
import { cutStalledReader } from "./stalled-readers.ts";

const jsonType = "application/json; charset=utf-8";
const problemType = "application/problem+json; charset=utf-8";

type WholeReply = Exclude<Reply, { readonly kind: "streamed" }>;

/** Writes a reply with its `X-Log-Position` (contract/http.md#log-positions) and language (contract/http.md#languages). */
export function writeReply(request: Request, response: Response, reply: WholeReply): void {
  if (reply.kind === "problem") {
    writeProblem(request, response, reply.problem);
    return;
  }
  if (reply.kind === "written") {
    writeText(request, response, reply);
    return;
  }
  if (reply.kind === "stored") {
    writeStored(response, reply);
    return;
  }
  if (reply.position !== undefined) response.setHeader("X-Log-Position", reply.position.commit.toString());
  for (const name in reply.headers) response.setHeader(name, reply.headers[name] ?? "");
  writeJson(response, reply.status, reply.body);
}

/** Writes a value as JSON that must not be cached; null is no body. */
export function writeJson(response: Response, status: number, body: unknown): void {
  response.statusCode = status;
  response.setHeader("Cache-Control", "no-store");
  setContentLanguage(response, languageOf(response.req));
  if (body === null) {
    response.end();
    return;
  }
  if (!response.hasHeader("Content-Type")) response.setHeader("Content-Type", jsonType);
  endWith(response, JSON.stringify(body));
}

function writeText(
  request: Request,
  response: Response,
  { text, mediaType, headers = {}, etag }: Extract<Reply, { kind: "written" }>,
): void {
  response.statusCode = 200;
  response.setHeader("Cache-Control", "no-store");
  setContentLanguage(response, languageOf(request));
  for (const name in headers) response.setHeader(name, headers[name] ?? "");
  if (etag !== undefined) {
    response.setHeader("ETag", etag);
    if (namesEntityTag(request.headers["if-none-match"], etag)) {
      response.statusCode = 304;
      response.removeHeader("Content-Disposition");
      response.end();
      return;
    }
  }
  response.setHeader("Content-Type", mediaType);
  endWith(response, text);
}

/** Whether an `If-None-Match` names an entity tag (RFC 9110 13.1.2): compared weakly; `*` means any, a long header none. */
export function namesEntityTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined || !isShortEnoughToParse(ifNoneMatch)) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Writes a stored response (contract/http.md#idempotency), in its original language. */
function writeStored(response: Response, { response: stored, position }: Extract<Reply, { kind: "stored" }>): void {
  response.statusCode = stored.status;
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Idempotent-Replayed", "true");
  setContentLanguage(response, stored.language);
  if (position !== undefined) response.setHeader("X-Log-Position", position.commit.toString());
  if (stored.mediaType !== null) response.setHeader("Content-Type", stored.mediaType);
  if (stored.body === null) response.end();
  else endWith(response, stored.body);
}

/** The response to store; null when it is no text, or too long (contract/http.md#idempotency). */
export function storableResponse(request: Request, response: Response, reply: Reply): StoredResponse | null {
  const text = textOf(request, response, reply);
  return text !== null && Buffer.byteLength(JSON.stringify(text.body)) <= maxStoredBodyBytes ? text : null;
}

function textOf(request: Request, response: Response, reply: Reply): StoredResponse | null {
  const language = languageOf(request);
  switch (reply.kind) {
    case "ok":
      if (reply.body === null) return { status: reply.status, mediaType: null, body: null, language };
      return { status: reply.status, mediaType: jsonType, body: JSON.stringify(reply.body), language };
    case "problem": {
      const body = problemText(request, response, reply.problem);
      return { status: reply.problem.status, mediaType: problemType, body, language };
    }
    case "written": {
      const { text, mediaType } = reply;
      return typeof text === "string" ? { status: 200, mediaType, body: text, language } : null;
    }
    case "streamed":
      return null;
    case "stored":
      return reply.response;
  }
}

/** Writes an error as RFC 9457 (contract/http.md#errors), in the language of the client (contract/http.md#languages). */
export function writeProblem(
  request: Request,
  response: Response,
  problem: Problem,
  headers: { readonly [name: string]: string } = {},
): void {
  const { status, retryAfterSeconds } = problem;
  response.statusCode = status;
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Content-Type", problemType);
  setContentLanguage(response, languageOf(request));
  if (retryAfterSeconds !== undefined) response.setHeader("Retry-After", retryAfterSeconds);
  if (status === 401) response.setHeader("WWW-Authenticate", "Bearer");
  for (const name in headers) response.setHeader(name, headers[name] ?? "");
  endWith(response, problemText(request, response, problem));
}

function problemText(request: Request, response: Response, problem: Problem): string {
  const { title, status, detail, code, errors } = problemBody(problem, languageOf(request));
  const [instance] = request.originalUrl.split("?", 1);
  const requestId = requestIdOf(response);
  return JSON.stringify({ type: "about:blank", title, status, detail, instance, code, requestId, errors });
}

/** Sends a whole body, for a client that reads it. */
export function endWith(response: Response, text: string | Uint8Array): void {
  response.setHeader("Content-Length", Buffer.byteLength(text));
  response.end(text);
  if (response.writableLength > 0) cutStalledReader(response);
}
