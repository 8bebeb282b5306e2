import type { Request, Response } from "express";
import type { Problem } from "./problem.ts";
import { requestIdOf } from "./request-id.ts";
import type { Reply } from "./route.ts";

/** Writes a handler's answer (D1.8: `X-Log-Position`). */
export function writeReply(request: Request, response: Response, reply: Reply): void {
  if (reply.kind === "problem") {
    writeProblem(request, response, reply.problem);
    return;
  }
  if (reply.kind === "written") {
    writeText(response, reply.text, { ...reply.headers, "Content-Type": reply.mediaType });
    return;
  }
  if (reply.position !== undefined) response.setHeader("X-Log-Position", reply.position.commit.toString());
  for (const name in reply.headers) response.setHeader(name, reply.headers[name] ?? "");
  writeJson(response, reply.status, reply.body);
}

/** Writes a value as JSON, for nobody's cache; null is no body. */
export function writeJson(response: Response, status: number, body: unknown): void {
  response.statusCode = status;
  response.setHeader("Cache-Control", "no-store");
  if (body === null) {
    response.end();
    return;
  }
  if (!response.hasHeader("Content-Type")) response.setHeader("Content-Type", "application/json; charset=utf-8");
  end(response, JSON.stringify(body));
}

function writeText(response: Response, text: string | Uint8Array, headers: { readonly [name: string]: string }): void {
  response.statusCode = 200;
  response.setHeader("Cache-Control", "no-store");
  for (const name in headers) response.setHeader(name, headers[name] ?? "");
  end(response, text);
}

/** Writes an error as RFC 9457 (D1.3). */
export function writeProblem(
  request: Request,
  response: Response,
  problem: Problem,
  headers: { readonly [name: string]: string } = {},
): void {
  const { status, code, title, detail, errors, retryAfterSeconds } = problem;
  response.statusCode = status;
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Content-Type", "application/problem+json; charset=utf-8");
  if (retryAfterSeconds !== undefined) response.setHeader("Retry-After", retryAfterSeconds);
  if (status === 401) response.setHeader("WWW-Authenticate", "Bearer");
  for (const name in headers) response.setHeader(name, headers[name] ?? "");
  const [instance] = request.originalUrl.split("?", 1);
  const requestId = requestIdOf(response);
  end(response, JSON.stringify({ type: "about:blank", title, status, detail, instance, code, requestId, errors }));
}

function end(response: Response, text: string | Uint8Array): void {
  response.setHeader("Content-Length", Buffer.byteLength(text));
  response.end(text);
}
