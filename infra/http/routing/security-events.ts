import type { Request } from "express";
import type { SecurityEvent } from "../../process/security-log.ts";
import { clientAddress } from "../request/client-address.ts";
import { problems } from "../response/problem.ts";
import type { KnownCaller } from "./handle-request.ts";
import type { Reply, Route } from "./route.ts";

type Kind = Pick<SecurityEvent, "event" | "tokens">;

/** The security event of a call; null for most calls. */
export function securityEvent(
  route: Route,
  request: Request,
  { principal, app }: KnownCaller,
  reply: Reply,
  requestId: string,
): SecurityEvent | null {
  const kind = kindOf(route, principal !== null, reply);
  if (kind === null) return null;
  return {
    ...kind,
    requestId,
    address: clientAddress(request),
    method: request.method,
    path: route.path,
    status: statusOf(reply),
    caller: principal?.kind ?? null,
    tokenId: principal === null || principal.kind === "operator" ? null : principal.tokenId,
    app: app?.name ?? null,
  };
}

function kindOf(route: Route, isKnown: boolean, reply: Reply): Kind | null {
  if (reply.kind === "problem") {
    const { status, code } = reply.problem;
    const isOfUnknownApp = code === problems.appNotFound.code;
    if (status === 401 || (!isKnown && isOfUnknownApp)) return { event: "token_refused" };
    if (status === 403 || isOfUnknownApp) return { event: "permission_refused" };
  }
  if (reply.kind === "ok" && reply.tokens !== undefined) {
    return "issued" in reply.tokens
      ? { event: "token_issued", tokens: reply.tokens.issued }
      : { event: "token_revoked", tokens: reply.tokens.revoked };
  }
  return isKnown && route.path.startsWith("/admin/v1") ? { event: "admin_call" } : null;
}

function statusOf(reply: Reply): number {
  if (reply.kind === "problem") return reply.problem.status;
  if (reply.kind === "ok") return reply.status;
  if (reply.kind === "stored") return reply.response.status;
  return 200;
}
